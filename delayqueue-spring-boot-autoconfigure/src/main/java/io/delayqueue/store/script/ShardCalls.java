package io.delayqueue.store.script;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.TopicConflictException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Runs scripts that compare what the caller believes of a shard. Where it believed wrong, the registry is asked anew and
 * the script run once more; more often only while somebody deletes the topic again and again. Senders and consumers
 * register the topic and open a shard that isn't there; verbs that only look, or change what is there, do neither, lest a
 * mistyped topic leave keys behind that nobody removes.
 *
 * <p>No script is run for a shard of another count than the registry's: a {@link
 * io.delayqueue.store.TopicRegisteredAnewException} sends the caller for the right shard.
 */
final class ShardCalls {

    /**
     * How often a shard is opened for a call that then doesn't find it open. More than one takes somebody who deletes the
     * topic just then.
     */
    private static final int OPENINGS = 20;

    private static final LuaScript OPEN = LuaScript.beside(ShardCalls.class, "open");
    /** One byte longer than the longest id. */
    static final String SENTINEL = "~".repeat(257);

    private final ScriptRunner scripts;
    private final KeySpace keySpace;
    private final TopicRegistry registry;

    ShardCalls(ScriptRunner scripts, KeySpace keySpace, TopicRegistry registry) {
        this.scripts = scripts;
        this.keySpace = keySpace;
        this.registry = registry;
    }

    /** For senders and consumers: the shard is opened where it isn't there. */
    List<Object> run(LuaScript script, Shard shard, ShardKeyList keys, Consumer<Arguments> writer) {
        List<Object> reply = attempt(script, shard, keys, registry.identity(shard), writer);
        if (isOk(reply, shard)) {
            return reply;
        }
        registry.forget(shard.topic());
        String identity = registry.identity(shard);
        for (int i = 0; i < OPENINGS; i++) {
            OptionalLong ended = open(shard, identity, true);
            if (ended.isPresent()) {
                identity = registry.identityAfter(shard, ended.getAsLong());
                continue;
            }
            reply = attempt(script, shard, keys, identity, writer);
            if (isOk(reply, shard)) {
                return reply;
            }
            registry.forget(shard.topic());
            identity = registry.identity(shard);
        }
        throw restless(shard);
    }

    /** For verbs that only look, or change what is there: empty, and nothing written, where the shard isn't there. */
    Optional<List<Object>> look(LuaScript script, Shard shard, ShardKeyList keys, Consumer<Arguments> writer) {
        for (int i = 0; ; i++) {
            Optional<String> identity = registry.registeredIdentity(shard);
            if (identity.isEmpty()) {
                registry.formats().gone(shard.topic());
                return Optional.empty();
            }
            List<Object> reply = attempt(script, shard, keys, identity.get(), writer);
            if (isOk(reply, shard)) {
                return Optional.of(reply);
            }
            if (i > OPENINGS) {
                throw restless(shard);
            }
            registry.forget(shard.topic());
            // what was believed may be old; what is asked just now is not
            if (isUnknown(reply) && registry.registeredIdentity(shard).equals(identity)) {
                registry.formats().gone(shard);
                return Optional.empty();
            }
            if (i > 0 && !isUnknown(reply)) {
                // it is there, so opening adopts or refuses it
                open(shard, identity.get(), false);
            }
        }
    }

    /** What {@link #look} does, without blocking. */
    CompletableFuture<Optional<List<Object>>> lookAsync(
            LuaScript script, Shard shard, ShardKeyList keys, Consumer<Arguments> writer) {
        return lookAsync(shard, identity -> attemptAsync(script, shard, keys, identity, writer), 0);
    }

    private CompletableFuture<Optional<List<Object>>> lookAsync(
            Shard shard, Function<String, CompletableFuture<List<Object>>> attempt, int round) {
        return registry.registeredIdentityAsync(shard).thenCompose(identity -> {
            if (identity.isEmpty()) {
                registry.formats().gone(shard.topic());
                return CompletableFuture.completedFuture(Optional.empty());
            }
            return attempt.apply(identity.get())
                    .thenCompose(reply -> isOk(reply, shard)
                            ? CompletableFuture.completedFuture(Optional.of(reply))
                            : lookAgainAsync(shard, identity.get(), isUnknown(reply), attempt, round));
        });
    }

    private CompletableFuture<Optional<List<Object>>> lookAgainAsync(
            Shard shard,
            String believed,
            boolean unknown,
            Function<String, CompletableFuture<List<Object>>> attempt,
            int round) {
        if (round > OPENINGS) {
            return CompletableFuture.failedFuture(restless(shard));
        }
        registry.forget(shard.topic());
        return registry.registeredIdentityAsync(shard).thenCompose(identity -> {
            if (unknown && identity.equals(Optional.of(believed))) {
                registry.formats().gone(shard);
                return CompletableFuture.completedFuture(Optional.empty());
            }
            if (unknown || round == 0) {
                return lookAsync(shard, attempt, round + 1);
            }
            Arguments opening = opening(shard, believed);
            return scripts.runAsync(OPEN, opening.keyCount(), opening.toArray()).thenCompose(opened -> {
                ended(shard, opened, false);
                return lookAsync(shard, attempt, round + 1);
            });
        });
    }

    private List<Object> attempt(
            LuaScript script, Shard shard, ShardKeyList keys, String identity, Consumer<Arguments> writer) {
        Arguments arguments = arguments(shard, keys, identity, writer);
        return scripts.run(script, arguments.keyCount(), arguments.toArray());
    }

    /** Opens a shard, unless the topic was deleted since its identity was read; then says what epoch is over. */
    private OptionalLong open(Shard shard, String identity, boolean wanted) {
        Arguments opening = opening(shard, identity);
        return ended(shard, scripts.run(OPEN, opening.keyCount(), opening.toArray()), wanted);
    }

    /** What {@link #run} does, without blocking. */
    CompletableFuture<List<Object>> runAsync(
            LuaScript script, Shard shard, ShardKeyList keys, Consumer<Arguments> writer) {
        Function<String, CompletableFuture<List<Object>>> attempt =
                identity -> attemptAsync(script, shard, keys, identity, writer);
        return registry.identityAsync(shard).thenCompose(attempt).thenCompose(reply -> {
            if (isOk(reply, shard)) {
                return CompletableFuture.completedFuture(reply);
            }
            registry.forget(shard.topic());
            return registry.identityAsync(shard)
                    .thenCompose(identity -> openedAsync(shard, identity, attempt, OPENINGS));
        });
    }

    private CompletableFuture<List<Object>> openedAsync(
            Shard shard, String identity, Function<String, CompletableFuture<List<Object>>> attempt, int left) {
        if (left == 0) {
            return CompletableFuture.failedFuture(restless(shard));
        }
        Arguments opening = opening(shard, identity);
        return scripts.runAsync(OPEN, opening.keyCount(), opening.toArray()).thenCompose(opened -> {
            OptionalLong ended = ended(shard, opened, true);
            if (ended.isPresent()) {
                return registry.identityAfterAsync(shard, ended.getAsLong())
                        .thenCompose(later -> openedAsync(shard, later, attempt, left - 1));
            }
            return attempt.apply(identity).thenCompose(reply -> {
                if (isOk(reply, shard)) {
                    return CompletableFuture.completedFuture(reply);
                }
                registry.forget(shard.topic());
                return registry.identityAsync(shard).thenCompose(other -> openedAsync(shard, other, attempt, left - 1));
            });
        });
    }

    private CompletableFuture<List<Object>> attemptAsync(
            LuaScript script, Shard shard, ShardKeyList keys, String identity, Consumer<Arguments> writer) {
        Arguments arguments = arguments(shard, keys, identity, writer);
        return scripts.runAsync(script, arguments.keyCount(), arguments.toArray());
    }

    private Arguments arguments(Shard shard, ShardKeyList keys, String identity, Consumer<Arguments> writer) {
        Arguments arguments = new Arguments(32);
        keys.write(arguments, keySpace, shard);
        arguments.add(identity);
        writer.accept(arguments);
        return arguments;
    }

    private Arguments opening(Shard shard, String identity) {
        Arguments arguments = new Arguments(16);
        ShardKeyList.EVER.write(arguments, keySpace, shard.messages());
        return arguments.add(identity).add(shard.topic()).add(shard.index()).add(SENTINEL);
    }

    private boolean isOk(List<Object> reply, Shard shard) {
        String status = Replies.text(reply.get(0));
        if (status.equals("STALE")) {
            throw new TopicConflictException("A step of topic " + shard.topic()
                    + " came after a later one of the same consumer; it changed nothing");
        }
        boolean ok = status.equals("OK");
        if (ok) {
            registry.formats().readable(shard);
        }
        return ok;
    }

    private static boolean isUnknown(List<Object> reply) {
        return Replies.text(reply.get(0)).equals("UNKNOWN");
    }

    private OptionalLong ended(Shard shard, List<Object> opened, boolean wanted) {
        if (Replies.text(opened.get(0)).equals("ENDED")) {
            return OptionalLong.of(Replies.number(opened.get(1)));
        }
        if (!isOk(opened, shard)) {
            throw conflict(shard, opened, wanted);
        }
        return OptionalLong.empty();
    }

    private static TopicConflictException restless(Shard shard) {
        return new TopicConflictException("Topic " + shard.topic() + " was deleted or opened anew by others " + OPENINGS
                + " times while this process wanted to use it. Nothing was written. Try again.");
    }

    private TopicConflictException conflict(Shard shard, List<Object> reply, boolean wanted) {
        String found = reply.size() > 1 ? Replies.text(reply.get(1)) : "nothing";
        String[] parts = found.split(":", -1);
        if (parts.length == 3 && !parts[0].equals(Integer.toString(TopicRegistry.FORMAT))) {
            registry.formats().unreadable(shard, parts[0], wanted);
            return new TopicConflictException("Topic " + shard.topic() + " is stored in format " + parts[0]
                    + ", but this version reads format " + TopicRegistry.FORMAT
                    + " only. Nothing was written. Update this process.");
        }
        return new TopicConflictException("Shard " + shard.index() + " of topic " + shard.topic() + " holds " + found
                + " (format:shards:epoch), but this process believes it to have " + shard.count()
                + " shards. Nothing was written.");
    }
}
