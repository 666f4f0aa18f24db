package io.delayqueue.admin;

import io.delayqueue.store.Forecast;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of scheduled messages by due time.
 *
 * @param from time of the count, by Redis' clock
 * @param width length of each bucket, in whole milliseconds
 * @param overdue messages due at {@code from} or before
 * @param counts messages due after {@code from}, by bucket; a due time between two buckets belongs to the earlier one
 * @param later messages due after the last bucket
 * @param latest when the last message is due; null if none is due after {@code from}
 */
public record Upcoming(
        Instant from,
        Duration width,
        long overdue,
        List<Long> counts,
        long later,
        @Nullable Instant latest) {

    /** The sum over shards. */
    static Upcoming of(Instant from, Duration width, int buckets, List<Forecast> shards) {
        return new Upcoming(
                from,
                width,
                shards.stream().mapToLong(Forecast::overdue).sum(),
                IntStream.range(0, buckets)
                        .mapToObj(bucket -> shards.stream()
                                .mapToLong(shard -> shard.counts().get(bucket))
                                .sum())
                        .toList(),
                shards.stream().mapToLong(Forecast::later).sum(),
                shards.stream()
                        .map(Forecast::latest)
                        .filter(Objects::nonNull)
                        .max(Comparator.naturalOrder())
                        .orElse(null));
    }

    /** The width of buckets up to a date. Buckets begin at a full millisecond, as {@link Forecast#now} does. */
    static Duration widthUntil(@Nullable Instant latest, Instant now, int buckets) {
        long millis = latest == null ? 0 : latest.toEpochMilli() - now.toEpochMilli();
        return Duration.ofMillis(Math.max(1, (millis + buckets - 1) / buckets));
    }
}
