package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;

/**
 * An estimate of Redis' clock from the last reply and the monotonic clock. It is behind by the travel time of the
 * reply, so that a wait never ends early. If Redis' clock jumps, the next reply corrects the estimate, after one sweep
 * at the latest. Thread-safe.
 */
public final class RedisClock {

    private static final long FAR_MICROS = Duration.ofDays(365).toNanos() / 1000;

    private final LongSupplier nanoTime;
    private volatile long offsetMicros = Long.MIN_VALUE;

    /**
     * Creates a clock that is not set yet.
     *
     * @param nanoTime monotonic clock in nanoseconds
     */
    public RedisClock(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Sets the clock to the time of a reply, in µs since 1970. Call it when the reply arrives. */
    public void set(long redisMicros) {
        offsetMicros = redisMicros - nanoTime.getAsLong() / 1000;
    }

    /** Whether the clock was set by a reply. */
    public boolean isSet() {
        return offsetMicros != Long.MIN_VALUE;
    }

    private long micros() {
        return nanoTime.getAsLong() / 1000 + offsetMicros;
    }

    /**
     * Nanoseconds from now until a time of Redis' clock in ms since 1970. At most a year; negative if the time has
     * passed; 0 if the clock is not set.
     */
    public long nanosUntil(long redisMillis) {
        if (!isSet()) {
            return 0;
        }
        long micros = redisMillis * 1000 - micros();
        return Math.min(micros, FAR_MICROS) * 1000;
    }

    /** Whether a time of the monotonic clock has passed. */
    public boolean isPast(long nanos) {
        return nanoTime.getAsLong() - nanos >= 0;
    }

    /** Converts a time of the monotonic clock to Redis' clock. */
    public Instant at(long nanos) {
        long micros = nanos / 1000 + (isSet() ? offsetMicros : 0);
        return Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1000);
    }
}
