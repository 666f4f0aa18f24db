package io.delayqueue.admin;

import io.delayqueue.message.Completions;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.ShardCounts;
import io.delayqueue.store.script.TopicRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of messages of a topic, or of one of its shards, by state. Times are those of Redis' clock.
 *
 * @param scheduled not yet due
 * @param ready due and not claimed, including suspects
 * @param suspects waiting to be handled in isolation, because their leases ended repeatedly without a settlement
 * @param leased leased, waiting for a handler or being handled
 * @param dead dead letters
 * @param unreviewed dead letters that were added since {@link DelayQueueAdmin#markReviewed} was last called
 * @param lag how long the oldest due message has been waiting since its due time or, if later, its send; zero if no
 *     message is due. It may be slightly too short if many messages were sent with due times in the past
 * @param latestDue when the last scheduled message is due; null if none is scheduled
 * @param medianDue when about half of the scheduled messages are due; null if none is scheduled
 * @param oldestUnreviewed when the oldest unreviewed dead letter was added; null if there is none
 */
public record TopicCounts(
        long scheduled,
        long ready,
        long suspects,
        long leased,
        long dead,
        long unreviewed,
        Duration lag,
        @Nullable Instant latestDue,
        @Nullable Instant medianDue,
        @Nullable Instant oldestUnreviewed) {

    /** Creates counts without times. */
    public TopicCounts(
            long scheduled, long ready, long suspects, long leased, long dead, long unreviewed, Duration lag) {
        this(scheduled, ready, suspects, leased, dead, unreviewed, lag, null, null, null);
    }

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
        return new TopicCounts(
                shards.stream().mapToLong(ShardCounts::scheduled).sum(),
                shards.stream().mapToLong(ShardCounts::ready).sum(),
                shards.stream().mapToLong(ShardCounts::suspects).sum(),
                shards.stream().mapToLong(ShardCounts::leased).sum(),
                shards.stream().mapToLong(ShardCounts::dead).sum(),
                shards.stream().mapToLong(ShardCounts::unreviewed).sum(),
                shards.stream()
                        .map(ShardCounts::lag)
                        .max(Comparator.naturalOrder())
                        .orElse(Duration.ZERO),
                times(shards, ShardCounts.Times::latestDue)
                        .max(Comparator.naturalOrder())
                        .orElse(null),
                medianDue(shards),
                times(shards, ShardCounts.Times::oldestUnreviewed)
                        .min(Comparator.naturalOrder())
                        .orElse(null));
    }

    private static Stream<Instant> times(
            List<ShardCounts> shards, Function<ShardCounts.Times, @Nullable Instant> time) {
        return shards.stream().map(ShardCounts::times).map(time).filter(Objects::nonNull);
    }

    /** The median of a shard such that half of the messages are in shards with an earlier one. */
    private static @Nullable Instant medianDue(List<ShardCounts> shards) {
        List<ShardCounts> ordered = shards.stream()
                .filter(shard -> shard.times().medianDue() != null)
                .sorted(Comparator.comparing(
                        shard -> Objects.requireNonNull(shard.times().medianDue())))
                .toList();
        long half = (ordered.stream().mapToLong(ShardCounts::scheduled).sum() + 1) / 2;
        long seen = 0;
        for (ShardCounts shard : ordered) {
            seen += shard.scheduled();
            if (seen >= half) {
                return shard.times().medianDue();
            }
        }
        return null;
    }

    /** The counts alone. */
    TopicCounts withoutTimes() {
        return new TopicCounts(scheduled, ready, suspects, leased, dead, unreviewed, lag);
    }
}
