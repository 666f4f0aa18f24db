package io.delayqueue.template.pull;

import java.time.Duration;
import java.time.Instant;

/**
 * Redis' clock as a reply told it.
 *
 * @param micros what it showed, µs since 1970
 * @param nanos when the reply came, by the monotonic clock
 */
record RedisTime(long micros, long nanos) {

    private static final long DAY_MICROS = Duration.ofDays(1).toNanos() / 1000;

    /** What Redis' clock shows at a moment of the monotonic clock; late by the way of the reply. */
    Instant at(long moment) {
        long then = microsAt(moment);
        return Instant.ofEpochSecond(Math.floorDiv(then, 1_000_000), Math.floorMod(then, 1_000_000) * 1000L);
    }

    /** When Redis' clock shows a time, by the monotonic clock; at most a day from the reply. */
    long nanosOf(long millis) {
        return nanos + Math.min(millis * 1000 - micros, DAY_MICROS) * 1000;
    }

    private long microsAt(long moment) {
        return micros + Math.floorDiv(moment - nanos, 1000);
    }
}
