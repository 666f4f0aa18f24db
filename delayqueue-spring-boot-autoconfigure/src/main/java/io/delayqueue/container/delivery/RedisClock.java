package io.delayqueue.container.delivery;

import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;

/**
 * Redis' clock as estimated from its last reply and the monotonic clock. It lags by the time that the reply travelled,
 * so waiting by it never wakes early. Thread-safe.
 */
final class RedisClock {

    private static final long FAR_MICROS = Duration.ofDays(365).toNanos() / 1000;

    private final LongSupplier nanoTime;
    private volatile long offsetMicros = Long.MIN_VALUE;

    RedisClock(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Takes a reply's time; to be called when the reply arrives. */
    void set(long redisMicros) {
        offsetMicros = redisMicros - nanoTime.getAsLong() / 1000;
    }

    /** Whether a reply was ever seen. */
    boolean isSet() {
        return offsetMicros != Long.MIN_VALUE;
    }

    /** µs since 1970. */
    long micros() {
        return nanoTime.getAsLong() / 1000 + offsetMicros;
    }

    /**
     * How many nanoseconds from now until a time by Redis' clock, a year at most; negative when it has passed, 0 if
     * unknown.
     */
    long nanosUntil(long redisMillis) {
        if (!isSet()) {
            return 0;
        }
        long micros = redisMillis * 1000 - micros();
        return Math.min(micros, FAR_MICROS) * 1000;
    }

    /** When, by Redis' clock, a moment of the monotonic clock is. */
    Instant at(long nanos) {
        long micros = nanos / 1000 + (isSet() ? offsetMicros : 0);
        return Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1000);
    }
}
