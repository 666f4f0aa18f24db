package io.delayqueue.message;

import java.time.Duration;
import java.time.Instant;
import org.springframework.util.Assert;

/**
 * When a message becomes due: a delay that starts when Redis runs the script, or a date.
 *
 * @param millis the delay in milliseconds, or the date in milliseconds since 1970; never negative
 * @param relative whether {@code millis} is a delay
 */
public record Due(long millis, boolean relative) {

    private static final long FARTHEST_SECOND = Long.MAX_VALUE / 1000 - 1;

    /** Due at once. */
    public static final Due NOW = new Due(0, true);

    /**
     * Checks the range.
     *
     * @throws IllegalArgumentException if {@code millis} is negative
     */
    public Due {
        if (millis < 0) {
            throw new IllegalArgumentException(
                    relative
                            ? "delay must be zero or more, but was " + millis + " ms"
                            : "The due date must not be before 1970, but was " + millis + " ms");
        }
    }

    /**
     * Due after a delay.
     *
     * @param delay zero or more; rounded up to whole milliseconds so that no message is early
     * @throws IllegalArgumentException if the delay is negative
     */
    public static Due after(Duration delay) {
        Assert.notNull(delay, "'delay' must not be null");
        if (delay.isNegative()) {
            throw new IllegalArgumentException("delay must be zero or more, but was " + DurationText.of(delay));
        }
        return new Due(ceilMillis(delay), true);
    }

    /**
     * Due at a date. A date in the past means at once.
     *
     * @param dueAt rounded up to whole milliseconds
     */
    public static Due at(Instant dueAt) {
        Assert.notNull(dueAt, "'dueAt' must not be null");
        if (dueAt.getEpochSecond() > FARTHEST_SECOND) {
            return new Due(Long.MAX_VALUE, false);
        }
        long millis = Math.addExact(Math.max(0, dueAt.getEpochSecond()) * 1000, dueAt.getNano() / 1_000_000);
        boolean cut = dueAt.getNano() % 1_000_000 != 0;
        return new Due(dueAt.getEpochSecond() < 0 ? 0 : cut ? millis + 1 : millis, false);
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
