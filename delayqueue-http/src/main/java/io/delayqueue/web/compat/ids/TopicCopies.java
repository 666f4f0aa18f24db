package io.delayqueue.web.compat.ids;

import io.delayqueue.event.EventBus;
import io.delayqueue.message.Durability;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.Shard;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.VersionedCancel;
import io.delayqueue.store.script.TopicRegistry;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Reads and cancels the messages of an id in several topics. Cancels only in permitted topics. Does not create topics.
 * Never blocks. Thread-safe.
 *
 * <p>Futures fail with a {@link io.delayqueue.redis.RedisCallException} if Redis does not reply, and with a
 * {@link io.delayqueue.store.TopicConflictException} if the topic differs from the one that this process has cached.
 *
 * @param store stores messages
 * @param registry finds the shards of topics
 * @param events receives the cancellations
 * @param permitted tests whether messages of a topic may be cancelled
 */
public record TopicCopies(MessageStore store, TopicRegistry registry, EventBus events, Predicate<String> permitted) {

    /** Creates an instance for all topics. */
    public TopicCopies(MessageStore store, TopicRegistry registry, EventBus events) {
        this(store, registry, events, topic -> true);
    }

    /** Returns an instance that cancels only in some topics. */
    TopicCopies within(Predicate<String> topics) {
        return new TopicCopies(store, registry, events, topics);
    }

    /**
     * Cancels a live message unless its version is greater. A message in a topic that is not permitted is kept.
     *
     * @param onlyHandled whether to keep a message that was not handled since it was sent, and the successor of another
     */
    CompletableFuture<VersionedCancel> cancel(String topic, String id, long version, boolean onlyHandled) {
        if (!permitted.test(topic)) {
            return version(topic, id);
        }
        return onShard(
                        topic,
                        id,
                        shard -> store.cancelUpTo(shard, id, version, onlyHandled, Durability.NONE),
                        VersionedCancel.NOT_FOUND)
                .thenApply(cancel -> {
                    if (cancel.outcome().isCancelled()) {
                        events.publish(listener -> listener.cancelled(topic, id));
                    }
                    return cancel;
                });
    }

    /** Returns whether a message is live, and its version. */
    CompletableFuture<VersionedCancel> version(String topic, String id) {
        return onShard(topic, id, shard -> store.version(shard, id), VersionedCancel.NOT_FOUND);
    }

    /** Reads a live message. */
    CompletableFuture<Optional<MessageSnapshot>> find(String topic, String id) {
        return onShard(topic, id, shard -> store.find(shard, id), Optional.empty());
    }

    private <T> CompletableFuture<T> onShard(
            String topic, String id, Function<Shard, CompletableFuture<T>> call, T absent) {
        return registry.withShard(topic, id, call).thenApply(found -> found.orElse(absent));
    }
}
