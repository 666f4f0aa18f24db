package io.delayqueue.message;

import java.time.Duration;
import java.time.Instant;

/**
 * When a message is to be delivered: a delay counted by Redis' clock from the moment the script runs, or a date.
 *
 * @param millis the delay in milliseconds, or the date in milliseconds since 1970; never negative
 * @param relative whether {@code millis} is a delay
 */
public record Due(long millis, boolean relative) {

    private static final long FARTHEST_SECOND = Long.MAX_VALUE / 1000 - 1;

    /** Deliver at once. */
    public static final Due NOW = new Due(0, true);

    /** Checks the range. */
    public Due {
        if (millis < 0) {
            throw new IllegalArgumentException(
                    relative
                            ? "A delay is not negative, but this one is " + millis + " ms"
                            : "A due date lies after 1970");
        }
    }

    /**
     * Due after a delay.
     *
     * @param delay zero or more, rounded up to whole milliseconds so that nothing is ever early
     */
    public static Due after(Duration delay) {
        return new Due(ceilMillis(delay), true);
    }

    /**
     * Due at a date; one that has passed means at once.
     *
     * @param date rounded up to whole milliseconds
     */
    public static Due at(Instant date) {
        if (date.getEpochSecond() > FARTHEST_SECOND) {
            return new Due(Long.MAX_VALUE, false);
        }
        long millis = Math.addExact(Math.max(0, date.getEpochSecond()) * 1000, date.getNano() / 1_000_000);
        boolean cut = date.getNano() % 1_000_000 != 0;
        return new Due(date.getEpochSecond() < 0 ? 0 : cut ? millis + 1 : millis, false);
    }

    private static long ceilMillis(Duration delay) {
        try {
            long millis = delay.toMillis();
            return delay.getNano() % 1_000_000 != 0 ? millis + 1 : millis;
        } catch (ArithmeticException overflow) {
            return Long.MAX_VALUE;
        }
    }
}
