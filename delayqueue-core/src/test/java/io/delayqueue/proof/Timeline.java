package io.delayqueue.proof;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntPredicate;
import java.util.stream.LongStream;

/** Events with their time and shard. Times are nanoseconds of {@link System#nanoTime()}. Thread-safe. */
final class Timeline {

    private final Queue<Event> events = new ConcurrentLinkedQueue<>();

    private record Event(long nanos, int shard) {}

    void add(long nanos, int shard) {
        events.add(new Event(nanos, shard));
    }

    private LongStream times(IntPredicate shards, long from, long to) {
        return events.stream()
                .filter(event -> shards.test(event.shard()) && event.nanos() - from >= 0 && event.nanos() - to <= 0)
                .mapToLong(Event::nanos)
                .sorted();
    }

    long count(IntPredicate shards, long from, long to) {
        return times(shards, from, to).count();
    }

    /** Events per second. */
    long rate(IntPredicate shards, long from, long to) {
        return count(shards, from, to) * 1_000_000_000L / Math.max(1, to - from);
    }

    /** Longest time without an event. */
    Duration longestGap(IntPredicate shards, long from, long to) {
        long[] marks = LongStream.concat(times(shards, from, to), LongStream.of(from, to))
                .sorted()
                .toArray();
        long longest = 0;
        for (int i = 1; i < marks.length; i++) {
            longest = Math.max(longest, marks[i] - marks[i - 1]);
        }
        return Duration.ofNanos(longest);
    }
}
