package io.delayqueue.store.script;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.TopicConflictException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Runs scripts that compare what the caller believes of a shard. Where it believed wrong, the registry is asked anew and
 * the script run once more. Senders and consumers register the topic and open a shard that isn't there; verbs that only
 * look, or change what is there, do neither, lest a mistyped topic leave keys behind that nobody removes.
 */
final class ShardCalls {

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
        return opened(script, shard, keys, registry.identity(shard), writer);
    }

    /** For verbs that only look, or change what is there: empty, and nothing written, where the shard isn't there. */
    Optional<List<Object>> look(LuaScript script, Shard shard, ShardKeyList keys, Consumer<Arguments> writer) {
        Optional<List<Object>> reply = attemptRegistered(script, shard, keys, writer);
        if (reply.isEmpty() || isOk(reply.get(), shard)) {
            return reply;
        }
        registry.forget(shard.topic());
        reply = attemptRegistered(script, shard, keys, writer);
        if (reply.isEmpty() || isOk(reply.get(), shard)) {
            return reply;
        }
        if (isUnknown(reply.get())) {
            return Optional.empty();
        }
        // it is there, so opening adopts or refuses it
        return registry.registeredIdentity(shard).map(identity -> opened(script, shard, keys, identity, writer));
    }

    private Optional<List<Object>> attemptRegistered(
            LuaScript script, Shard shard, ShardKeyList keys, Consumer<Arguments> writer) {
        return registry.registeredIdentity(shard).map(identity -> attempt(script, shard, keys, identity, writer));
    }

    private List<Object> attempt(
            LuaScript script, Shard shard, ShardKeyList keys, String identity, Consumer<Arguments> writer) {
        Arguments arguments = arguments(shard, keys, identity, writer);
        return scripts.run(script, arguments.keyCount(), arguments.toArray());
    }

    private List<Object> opened(
            LuaScript script, Shard shard, ShardKeyList keys, String identity, Consumer<Arguments> writer) {
        Arguments opening = opening(shard, identity);
        checkOpened(shard, scripts.run(OPEN, opening.keyCount(), opening.toArray()));
        List<Object> reply = attempt(script, shard, keys, identity, writer);
        if (isOk(reply, shard)) {
            return reply;
        }
        throw conflict(shard, reply);
    }

    /** What {@link #run} does, without blocking. */
    CompletableFuture<List<Object>> runAsync(
            LuaScript script, Shard shard, ShardKeyList keys, Consumer<Arguments> writer) {
        return attemptAsync(script, shard, keys, writer).thenCompose(reply -> {
            if (isOk(reply, shard)) {
                return CompletableFuture.completedFuture(reply);
            }
            registry.forget(shard.topic());
            return registry.identityAsync(shard)
                    .thenCompose(identity -> {
                        Arguments opening = opening(shard, identity);
                        return scripts.runAsync(OPEN, opening.keyCount(), opening.toArray());
                    })
                    .thenAccept(opened -> checkOpened(shard, opened))
                    .thenCompose(nothing -> attemptAsync(script, shard, keys, writer))
                    .thenApply(repeated -> {
                        if (isOk(repeated, shard)) {
                            return repeated;
                        }
                        throw conflict(shard, repeated);
                    });
        });
    }

    private CompletableFuture<List<Object>> attemptAsync(
            LuaScript script, Shard shard, ShardKeyList keys, Consumer<Arguments> writer) {
        return registry.identityAsync(shard).thenCompose(identity -> {
            Arguments arguments = arguments(shard, keys, identity, writer);
            return scripts.runAsync(script, arguments.keyCount(), arguments.toArray());
        });
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
        ShardKeyList.ALL.write(arguments, keySpace, shard.messages());
        return arguments.add(identity).add(shard.topic()).add(shard.index()).add(SENTINEL);
    }

    private static boolean isOk(List<Object> reply, Shard shard) {
        String status = Replies.text(reply.get(0));
        if (status.equals("STALE")) {
            throw new TopicConflictException("A step of topic " + shard.topic()
                    + " came after a later one of the same consumer; it changed nothing");
        }
        return status.equals("OK");
    }

    private static boolean isUnknown(List<Object> reply) {
        return Replies.text(reply.get(0)).equals("UNKNOWN");
    }

    private static void checkOpened(Shard shard, List<Object> reply) {
        if (!isOk(reply, shard)) {
            throw conflict(shard, reply);
        }
    }

    private static TopicConflictException conflict(Shard shard, List<Object> reply) {
        String found = reply.size() > 1 ? Replies.text(reply.get(1)) : "nothing";
        String[] parts = found.split(":", -1);
        if (parts.length == 3 && !parts[0].equals(Integer.toString(TopicRegistry.FORMAT))) {
            return new TopicConflictException("Topic " + shard.topic() + " is stored in format " + parts[0]
                    + ", but this version reads format " + TopicRegistry.FORMAT
                    + " only. Nothing was written. Update this process.");
        }
        return new TopicConflictException("Shard " + shard.index() + " of topic " + shard.topic() + " holds " + found
                + " (format:shards:epoch), but this process believes it to have " + shard.count()
                + " shards. Nothing was written.");
    }
}
