package io.delayqueue.benchmark.trial;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for conditions and times. */
final class Until {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    private Until() {}

    /**
     * Waits for a condition, which is checked every half millisecond.
     *
     * @throws IllegalStateException if it takes more than three minutes
     */
    static void met(String what, BooleanSupplier condition) {
        long started = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - started > TIMEOUT.toNanos()) {
                throw new IllegalStateException("Timed out after " + TIMEOUT + " while waiting until " + what);
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /** Waits for a duration. */
    static void passed(Duration time) {
        reached(Instant.now().plus(time));
    }

    /** Waits until a time. */
    static void reached(Instant moment) {
        while (Instant.now().isBefore(moment)) {
            LockSupport.parkNanos(
                    Math.max(1, Duration.between(Instant.now(), moment).toNanos()));
        }
    }
}
