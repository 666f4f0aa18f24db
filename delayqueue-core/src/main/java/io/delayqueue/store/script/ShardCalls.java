package io.delayqueue.store.script;

import io.delayqueue.message.Completions;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Shard;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.redis.ShardKeys;
import io.delayqueue.store.TopicConflictException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Runs scripts on a shard. Each script compares the shard's identity with the one that the caller expects. If they
 * differ, the registration is read again and the script is repeated. More than one repeat is needed only if others
 * delete the topic repeatedly.
 *
 * <p>If the shard has another shard count than the registration, no script is run. The call fails with a {@link
 * io.delayqueue.store.TopicRegisteredAnewException}, and the caller determines the shard again.
 */
final class ShardCalls {

    /** Largest number of script runs and shard openings for one call. */
    private static final int ATTEMPTS = 40;

    private static final LuaScript OPEN = LuaScript.beside(ShardCalls.class, "open");
    /**
     * A permanent member of each sorted set and each hash of a shard, except {@code meta}. It keeps the key in
     * existence. One byte longer than the longest id.
     */
    static final String SENTINEL = "~".repeat(257);

    private final ScriptRunner scripts;
    private final KeySpace keySpace;
    private final TopicRegistry registry;

    ShardCalls(ScriptRunner scripts, KeySpace keySpace, TopicRegistry registry) {
        this.scripts = scripts;
        this.keySpace = keySpace;
        this.registry = registry;
    }

    /** What a call does where the topic or the shard is absent. */
    private enum IfAbsent {
        /** Registers the topic and opens the shard. */
        REGISTER,
        /** Opens the shard of a registered topic; does nothing if the topic is not registered. */
        OPEN,
        /** Does nothing, so that a mistyped topic leaves no keys behind. */
        LEAVE
    }

    /** For senders and listeners: registers the topic and opens the shard where they are absent. */
    CompletableFuture<List<Object>> run(
            LuaScript script, Shard shard, Function<ShardKeys, List<byte[]>> keys, Consumer<ScriptCall> writer) {
        return new Call(script, shard, keys, writer, IfAbsent.REGISTER).run().thenApply(Optional::orElseThrow);
    }

    /** For receivers: opens the shard if it is absent; returns empty if the topic is not registered. */
    CompletableFuture<Optional<List<Object>>> runIfRegistered(
            LuaScript script, Shard shard, Function<ShardKeys, List<byte[]>> keys, Consumer<ScriptCall> writer) {
        return new Call(script, shard, keys, writer, IfAbsent.OPEN).run();
    }

    /** For scripts that create nothing: returns empty and writes nothing if the shard is absent. */
    CompletableFuture<Optional<List<Object>>> runIfExists(
            LuaScript script, Shard shard, Function<ShardKeys, List<byte[]>> keys, Consumer<ScriptCall> writer) {
        return new Call(script, shard, keys, writer, IfAbsent.LEAVE).run();
    }

    /**
     * One call. If the topic is not registered, and the call does not register it, the call ends empty. Otherwise the
     * replies of the script and of {@code open.lua} decide:
     *
     * <pre>
     * reply                     registration      next step
     * script  OK                                  end
     * script  STALE                               fail
     * script  UNKNOWN (absent)  another identity  run the script
     * script  UNKNOWN (absent)  same identity     LEAVE: end empty; otherwise open the shard
     * script  MISMATCH          another identity  run the script
     * script  MISMATCH          same identity     open the shard
     * open    OK                                  run the script
     * open    ENDED                               LEAVE: as after MISMATCH; otherwise open the shard in a later epoch
     * open    MISMATCH                            fail
     * </pre>
     */
    private final class Call {

        private final LuaScript script;
        private final Shard shard;
        private final Function<ShardKeys, List<byte[]>> keys;
        private final Consumer<ScriptCall> writer;
        private final IfAbsent ifAbsent;
        private int left = ATTEMPTS;

        Call(
                LuaScript script,
                Shard shard,
                Function<ShardKeys, List<byte[]>> keys,
                Consumer<ScriptCall> writer,
                IfAbsent ifAbsent) {
            this.script = script;
            this.shard = shard;
            this.keys = keys;
            this.writer = writer;
            this.ifAbsent = ifAbsent;
        }

        CompletableFuture<Optional<List<Object>>> run() {
            return Completions.call(() -> {
                String known = registry.knownIdentity(shard);
                if (known == null) {
                    return withIdentity(TopicRegistry.NO_EPOCH, this::attempt);
                }
                left--;
                return attempt(known);
            });
        }

        /**
         * Continues with the registered identity.
         *
         * @param endedEpoch an ended epoch, or {@link TopicRegistry#NO_EPOCH}; the identity has a later epoch
         */
        private CompletableFuture<Optional<List<Object>>> withIdentity(
                long endedEpoch, Function<String, CompletableFuture<Optional<List<Object>>>> next) {
            return registry.identity(shard, ifAbsent == IfAbsent.REGISTER, endedEpoch)
                    .thenCompose(identity -> {
                        if (identity.isEmpty()) {
                            registry.formats().forgetUnreadable(shard.topic());
                            return CompletableFuture.completedFuture(Optional.empty());
                        }
                        return left-- > 0
                                ? next.apply(identity.get())
                                : CompletableFuture.failedFuture(tooManyConflicts(shard));
                    });
        }

        private CompletableFuture<Optional<List<Object>>> attempt(String identity) {
            ShardKeys all = keySpace.of(shard);
            ScriptCall call = new ScriptCall(script, all.withOrder(keys.apply(all))).add(identity);
            writer.accept(call);
            return scripts.run(call)
                    .thenCompose(reply -> isOk(reply, shard)
                            ? CompletableFuture.completedFuture(Optional.of(reply))
                            : again(identity, isShardAbsent(reply)));
        }

        /** Repeats the call with a fresh identity, because the cached one may be outdated. */
        private CompletableFuture<Optional<List<Object>>> again(String expected, boolean shardAbsent) {
            registry.forget(shard.topic());
            return withIdentity(TopicRegistry.NO_EPOCH, identity -> {
                if (!identity.equals(expected)) {
                    return attempt(identity);
                }
                if (shardAbsent && ifAbsent == IfAbsent.LEAVE) {
                    registry.formats().forgetUnreadable(shard);
                    return CompletableFuture.completedFuture(Optional.empty());
                }
                return open(identity);
            });
        }

        /** Creates the shard, or adopts an existing one. Rejects one with another shard count or format. */
        private CompletableFuture<Optional<List<Object>>> open(String identity) {
            TopicLimits limits = registry.lastLimits(shard.topic()).effective();
            ShardKeys all = keySpace.of(shard.messages());
            ScriptCall call = new ScriptCall(OPEN, all.withOrder(all.all()))
                    .add(identity)
                    .add(shard.topic())
                    .add(shard.index())
                    .add(SENTINEL)
                    .add(limits.scriptText());
            return scripts.run(call).thenCompose(reply -> {
                if (Replies.text(reply.get(0)).equals("ENDED")) {
                    return ifAbsent == IfAbsent.LEAVE
                            ? again(identity, false)
                            : withIdentity(Replies.number(reply.get(1)), this::open);
                }
                if (!isOk(reply, shard)) {
                    throw conflict(shard, reply, ifAbsent != IfAbsent.LEAVE);
                }
                return shard.count() == 1 ? openAgainIfLimitsChanged(identity, limits) : attempt(identity);
            });
        }

        /**
         * A change of the limits since they were read did not reach the shard, because it did not exist yet. A topic with
         * several shards has no limits.
         */
        private CompletableFuture<Optional<List<Object>>> openAgainIfLimitsChanged(
                String identity, TopicLimits limits) {
            return registry.limits(shard.topic()).thenCompose(found -> {
                boolean changed = found.isPresent() && !found.get().effective().equals(limits);
                return changed && left-- > 0 ? open(identity) : attempt(identity);
            });
        }
    }

    /** Whether the shard has the expected identity. Throws if a later poll of the consumer has run. */
    private boolean isOk(List<Object> reply, Shard shard) {
        String status = Replies.text(reply.get(0));
        if (status.equals("STALE")) {
            throw new TopicConflictException("A poll of topic " + Printable.of(shard.topic())
                    + " arrived after a later poll of the same consumer. It changed nothing.");
        }
        boolean ok = status.equals("OK");
        if (ok) {
            registry.formats().recordReadable(shard);
        }
        return ok;
    }

    private static boolean isShardAbsent(List<Object> reply) {
        return Replies.text(reply.get(0)).equals("UNKNOWN");
    }

    private static TopicConflictException tooManyConflicts(Shard shard) {
        return new TopicConflictException("Topic " + Printable.of(shard.topic())
                + " was repeatedly deleted or registered again during the call. Nothing was written. Try again.");
    }

    private TopicConflictException conflict(Shard shard, List<Object> reply, boolean wanted) {
        String found = reply.size() > 1 ? Replies.text(reply.get(1)) : "nothing";
        String[] parts = found.split(":", -1);
        if (parts.length == 3 && !parts[0].equals(Integer.toString(StoredFormats.CURRENT))) {
            registry.formats().recordUnreadable(shard, parts[0], wanted);
            return new TopicConflictException(
                    "Topic " + Printable.of(shard.topic()) + " is stored in format " + parts[0]
                            + ", but this version reads format " + StoredFormats.CURRENT
                            + " only. Nothing was written. Update this process.");
        }
        return new TopicConflictException(
                "Shard " + shard.index() + " of topic " + Printable.of(shard.topic()) + " holds " + found
                        + " (format:shards:epoch), but this process expects " + shard.shape()
                        + " shards. Nothing was written.");
    }
}
