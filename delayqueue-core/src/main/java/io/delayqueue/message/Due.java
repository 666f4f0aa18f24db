package io.delayqueue.message;

import java.time.Duration;
import java.time.Instant;
import org.springframework.util.Assert;

/**
 * When a message becomes due: a delay that starts when Redis runs the script, or a date.
 *
 * @param millis the delay in milliseconds, or the date in milliseconds since 1970; never negative
 * @param relative whether {@code millis} is a delay
 * @param longest for a debounced message, the longest time in milliseconds from the first send until it is due, at least
 *     {@code millis}; 0 for any other message
 */
public record Due(long millis, boolean relative, long longest) {

    /** Due at once. */
    public static final Due NOW = new Due(0, true);

    /** A delay or date of a message that is not debounced. */
    public Due(long millis, boolean relative) {
        this(millis, relative, 0);
    }

    /**
     * Checks the range.
     *
     * @throws IllegalArgumentException if {@code millis} is negative, or if {@code longest} is not 0 and less than
     *     {@code millis} or given for a date
     */
    public Due {
        if (millis < 0) {
            throw new IllegalArgumentException(
                    relative
                            ? "delay must be zero or more, but was " + millis + " ms"
                            : "The due date must not be before 1970, but was " + millis + " ms");
        }
        if (longest != 0 && !relative) {
            throw new IllegalArgumentException("A due date has no longest time, but was given " + longest + " ms");
        }
        if (longest != 0 && longest < millis) {
            throw new IllegalArgumentException("atTheLatest must not be less than quiet, but was "
                    + DurationText.of(Duration.ofMillis(longest)) + " with a quiet time of "
                    + DurationText.of(Duration.ofMillis(millis)));
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
     * Due when a message was not sent again for a time.
     *
     * @param quiet the time, more than zero, from the last send; rounded up to whole milliseconds
     * @param atTheLatest the longest time from the first send, at least {@code quiet}; rounded up to whole milliseconds
     * @throws IllegalArgumentException if a time is out of its range
     */
    public static Due debounced(Duration quiet, Duration atTheLatest) {
        Assert.notNull(quiet, "'quiet' must not be null");
        Assert.notNull(atTheLatest, "'atTheLatest' must not be null");
        if (quiet.isNegative() || quiet.isZero()) {
            throw new IllegalArgumentException("quiet must be more than zero, but was " + DurationText.of(quiet));
        }
        if (atTheLatest.isNegative() || atTheLatest.isZero()) {
            throw new IllegalArgumentException(
                    "atTheLatest must be more than zero, but was " + DurationText.of(atTheLatest));
        }
        return new Due(ceilMillis(quiet), true, ceilMillis(atTheLatest));
    }

    /** Whether a further send moves the due time. */
    public boolean isDebounced() {
        return longest > 0;
    }

    /**
     * Due at a date. A date in the past means at once.
     *
     * @param dueAt between 2000 and 9999; rounded up to whole milliseconds
     * @throws IllegalArgumentException if the date is out of range
     */
    public static Due at(Instant dueAt) {
        long millis = Dates.check("dueAt", dueAt).toEpochMilli();
        return new Due(dueAt.getNano() % 1_000_000 != 0 ? millis + 1 : millis, false);
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
