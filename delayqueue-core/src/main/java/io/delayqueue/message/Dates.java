package io.delayqueue.message;

import io.delayqueue.Internal;
import java.time.Instant;
import org.springframework.util.Assert;

/** Checks dates of users. A date in seconds that was taken for milliseconds, or the reverse, is out of range. */
@Internal
public final class Dates {

    private static final Instant EARLIEST = Instant.parse("2000-01-01T00:00:00Z");
    private static final Instant END = Instant.parse("+10000-01-01T00:00:00Z");

    private Dates() {}

    /**
     * Checks that a date is between 2000 and 9999.
     *
     * @param option the name of the option, such as {@code dueAt}
     * @return the date
     * @throws InvalidOptionException if the date is out of range
     */
    public static Instant check(String option, Instant date) {
        Assert.notNull(date, () -> "'" + option + "' must not be null");
        boolean early = date.isBefore(EARLIEST);
        InvalidOptionException.require(
                !early && date.isBefore(END),
                option,
                "must be between 2000 and 9999, but was " + date
                        + (early ? " (seconds taken for milliseconds?)" : " (milliseconds taken for seconds?)"));
        return date;
    }
}
