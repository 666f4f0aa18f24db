package io.delayqueue.store.script;

import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.TopicRegisteredAnewException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/**
 * What an id has in a topic, for whoever numbers the sends of an id in their order ({@code store.ids}). Registers nothing,
 * never blocks. Thread-safe.
 *
 * <p>Futures fail with a {@link io.delayqueue.redis.RedisCallException} when there is no answer, and with a
 * {@link io.delayqueue.store.TopicConflictException} when the topic is not what this process believes it to be.
 */
public final class TopicCopies {

    private static final LuaScript END = LuaScript.beside(TopicCopies.class, "end");
    private static final LuaScript FIND = LuaScript.beside(TopicCopies.class, "find");
    private static final String ONLY_LOOK = "";

    /** More than once takes somebody who registers the topic anew all the time. */
    private static final int LOOKS = 20;

    private final TopicRegistry registry;
    private final ShardCalls calls;

    /** Over the scripts and names of one namespace. */
    public TopicCopies(ScriptRunner scripts, KeySpace keySpace, TopicRegistry registry) {
        this.registry = registry;
        this.calls = new ShardCalls(scripts, keySpace, registry);
    }

    /** What was found, and what became of it. */
    public enum State {
        /** Nothing is live. */
        ABSENT,
        /** It is live: it was only looked, or it has a greater number. */
        LIVE,
        /** It was live, and was cancelled. */
        CANCELLED
    }

    /**
     * What an id has in a topic.
     *
     * @param number of what was found, 16 digits; empty if it has none, or nothing was found
     */
    public record Copy(State state, String number) {

        private static final Copy NONE = new Copy(State.ABSENT, "");
    }

    /**
     * Cancels what is live, unless it has a greater number.
     *
     * @param number 16 digits
     */
    public CompletableFuture<Copy> endAsync(String topic, String id, String number) {
        return run(topic, id, number);
    }

    /** Looks whether it is live. */
    public CompletableFuture<Copy> lookAsync(String topic, String id) {
        return run(topic, id, ONLY_LOOK);
    }

    private CompletableFuture<Copy> run(String topic, String id, String number) {
        return call(topic, id, END, arguments -> arguments.add(known(id)).add(number), LOOKS)
                .thenApply(reply -> reply.map(TopicCopies::copy).orElse(Copy.NONE));
    }

    /** Reads a live message. One that nobody can read has all of it as payload, and the reason as its last failure. */
    public CompletableFuture<Optional<MessageSnapshot>> findAsync(String topic, String id) {
        return call(topic, id, FIND, arguments -> arguments.add(known(id)), LOOKS)
                .thenApply(reply -> reply.flatMap(parts -> SnapshotReply.read(topic, id, parts)));
    }

    private static Copy copy(List<Object> reply) {
        State state = switch (Replies.text(reply.get(1))) {
            case "n" -> State.ABSENT;
            case "l" -> State.LIVE;
            default -> State.CANCELLED;
        };
        return new Copy(state, Replies.text(reply.get(2)));
    }

    /** The sentinel stands where ids do, but is as unknown as the empty id. */
    private static String known(String id) {
        return id.equals(ShardCalls.SENTINEL) ? "" : id;
    }

    private CompletableFuture<Optional<List<Object>>> call(
            String topic, String id, LuaScript script, Consumer<Arguments> writer, int looks) {
        return registry.registeredShardsAsync(topic)
                .thenCompose(shards -> shards.isEmpty()
                        ? CompletableFuture.completedFuture(Optional.<List<Object>>empty())
                        : calls.lookAsync(script, shardOf(id, shards.get()), ShardKeyList.LANE, writer))
                .exceptionallyCompose(failure -> {
                    Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                            ? failure.getCause()
                            : failure;
                    return cause instanceof TopicRegisteredAnewException && looks > 1
                            ? call(topic, id, script, writer, looks - 1)
                            : CompletableFuture.failedFuture(cause);
                });
    }

    private static Shard shardOf(String id, List<Shard> shards) {
        return shards.get(Shard.indexOf(id, shards.size()));
    }
}
