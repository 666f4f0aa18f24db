package io.delayqueue.testing;

import java.time.Instant;

/**
 * The clocks of the machine. Tests that are not long read them only here, for values that they send. They assert no elapsed time:
 * a test drives its clock, or awaits an event.
 */
public final class SystemClock {

    private SystemClock() {}

    /** Returns the time of day. */
    public static Instant now() {
        return Instant.now();
    }

    /** Returns the time of day in milliseconds since 1970. */
    public static long millis() {
        return System.currentTimeMillis();
    }

    /** Returns the monotonic time in nanoseconds. */
    public static long nanos() {
        return System.nanoTime();
    }
}
