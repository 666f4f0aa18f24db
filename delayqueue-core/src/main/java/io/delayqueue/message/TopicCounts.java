package io.delayqueue.message;

import io.delayqueue.Internal;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of messages of a topic, or of one of its shards, by state. Times are those of Redis' clock.
 *
 * @param scheduled not yet due
 * @param ready due and not claimed, including suspects
 * @param suspects waiting to be handled in isolation, because their leases ended repeatedly without a settlement
 * @param parked those of the ready messages that wait for another message of their key, see
 *     {@link DelayMessage.Builder#key}; 0 if the topic is not ordered
 * @param leased leased, waiting for a handler or being handled
 * @param dead dead letters
 * @param unreviewed dead letters that were added since {@link io.delayqueue.admin.DelayQueueAdmin#markReviewed} was last called
 * @param schedules schedules, also those that are paused, see {@link Schedule}
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
        long parked,
        long leased,
        long dead,
        long unreviewed,
        long schedules,
        Duration lag,
        @Nullable Instant latestDue,
        @Nullable Instant medianDue,
        @Nullable Instant oldestUnreviewed) {

    /** Without any message. */
    public static final TopicCounts ZERO = new TopicCounts(0, 0, 0, 0, 0, 0, 0, 0, Duration.ZERO, null, null, null);

    /** The counts of a topic with these shards. */
    @Internal
    public static TopicCounts sum(List<TopicCounts> shards) {
        return new TopicCounts(
                shards.stream().mapToLong(TopicCounts::scheduled).sum(),
                shards.stream().mapToLong(TopicCounts::ready).sum(),
                shards.stream().mapToLong(TopicCounts::suspects).sum(),
                shards.stream().mapToLong(TopicCounts::parked).sum(),
                shards.stream().mapToLong(TopicCounts::leased).sum(),
                shards.stream().mapToLong(TopicCounts::dead).sum(),
                shards.stream().mapToLong(TopicCounts::unreviewed).sum(),
                shards.stream().mapToLong(TopicCounts::schedules).sum(),
                shards.stream()
                        .map(TopicCounts::lag)
                        .max(Comparator.naturalOrder())
                        .orElse(Duration.ZERO),
                times(shards, TopicCounts::latestDue)
                        .max(Comparator.naturalOrder())
                        .orElse(null),
                medianDue(shards),
                times(shards, TopicCounts::oldestUnreviewed)
                        .min(Comparator.naturalOrder())
                        .orElse(null));
    }

    private static Stream<Instant> times(List<TopicCounts> shards, Function<TopicCounts, @Nullable Instant> time) {
        return shards.stream().map(time).filter(Objects::nonNull);
    }

    /** The median of a shard such that half of the messages are in shards with an earlier one. */
    private static @Nullable Instant medianDue(List<TopicCounts> shards) {
        List<TopicCounts> ordered = shards.stream()
                .filter(shard -> shard.medianDue != null)
                .sorted(Comparator.comparing(shard -> Objects.requireNonNull(shard.medianDue)))
                .toList();
        long half = (ordered.stream().mapToLong(TopicCounts::scheduled).sum() + 1) / 2;
        long seen = 0;
        for (TopicCounts shard : ordered) {
            seen += shard.scheduled;
            if (seen >= half) {
                return shard.medianDue;
            }
        }
        return null;
    }

    /** The counts alone. */
    @Internal
    public TopicCounts withoutTimes() {
        return new TopicCounts(
                scheduled, ready, suspects, parked, leased, dead, unreviewed, schedules, lag, null, null, null);
    }
}
