package io.delayqueue.admin;

import io.delayqueue.message.Completions;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.ShardCounts;
import io.delayqueue.store.script.TopicRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Numbers of messages of a topic by state.
 *
 * @param scheduled not yet due
 * @param ready due and not claimed, including suspects
 * @param suspects waiting to be handled in isolation, because their leases ended repeatedly without a settlement
 * @param leased leased, waiting for a handler or being handled
 * @param dead dead letters
 * @param unreviewed dead letters that were added since {@link DelayQueueAdmin#markReviewed} was last called
 * @param lag how long the oldest due message has been waiting since its due time or, if later, its send; zero if no
 *     message is due. It may be slightly too short if many messages were sent with due times in the past
 */
public record TopicCounts(
        long scheduled, long ready, long suspects, long leased, long dead, long unreviewed, Duration lag) {

    /**
     * Counts a topic. All shards are counted concurrently, so a server that does not respond delays only the topics
     * that it stores. Returns empty if the topic is not registered. Fails with the exception of the store or the
     * registry.
     */
    static CompletableFuture<Optional<TopicCounts>> read(MessageStore store, TopicRegistry registry, String topic) {
        return readShards(store, registry, topic).thenApply(shards -> shards.map(TopicCounts::of));
    }

    /** Like {@link #read}, but returns the counts of each shard. */
    static CompletableFuture<Optional<List<ShardCounts>>> readShards(
            MessageStore store, TopicRegistry registry, String topic) {
        return registry.withShards(
                topic,
                shards -> Completions.all(shards.stream().map(store::count).toList()));
    }

    static TopicCounts of(List<ShardCounts> shards) {
        TopicCounts sum = new TopicCounts(0, 0, 0, 0, 0, 0, Duration.ZERO);
        for (ShardCounts shard : shards) {
            sum = sum.and(shard);
        }
        return sum;
    }

    private TopicCounts and(ShardCounts shard) {
        return new TopicCounts(
                scheduled + shard.scheduled(),
                ready + shard.ready(),
                suspects + shard.suspects(),
                leased + shard.leased(),
                dead + shard.dead(),
                unreviewed + shard.unreviewed(),
                lag.compareTo(shard.lag()) > 0 ? lag : shard.lag());
    }
}
