package io.delayqueue.message;

import io.delayqueue.Internal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Parses and formats durations. The parser accepts {@code 500ms}, {@code 30s}, {@code 1h30m} and {@code PT30S}. A
 * number other than 0 needs a unit: Spring reads a number without a unit as milliseconds, where most people mean
 * seconds.
 */
@Internal
public final class DurationText {

    private static final Duration YEAR = Duration.ofHours(8_766);
    private static final int NANOS_PER_MILLI = 1_000_000;
    private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+");
    private static final Pattern ZERO = Pattern.compile("[+-]?0+");

    private DurationText() {}

    /**
     * Parses a duration.
     *
     * @throws IllegalArgumentException if the text is not a duration or has no unit. The message is a predicate whose
     *     subject is the text: "has no unit: write 5s or 5ms", "is not a duration such as 30s, 2m or 1h30m"
     */
    public static Duration parse(String text) {
        String trimmed = text.trim();
        requireUnit(trimmed);
        try {
            return DurationFormatterUtils.detectAndParse(trimmed);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new IllegalArgumentException("is not a duration such as 30s, 2m or 1h30m", e);
        }
    }

    /**
     * Checks that a text is not a number without a unit.
     *
     * @throws IllegalArgumentException as {@link #parse} does
     */
    public static void requireUnit(String text) {
        if (lacksUnit(text)) {
            String number = text.trim();
            throw new IllegalArgumentException("has no unit: write " + number + "s or " + number + "ms");
        }
    }

    /** Whether a text is an integer other than 0. */
    public static boolean lacksUnit(String text) {
        String trimmed = text.trim();
        return NUMBER.matcher(trimmed).matches() && !ZERO.matcher(trimmed).matches();
    }

    /**
     * Formats a duration without loss, such as {@code 10 min}, {@code 1 day 2 h} or {@code 1,000 years}; negative
     * with a minus.
     */
    public static String of(Duration duration) {
        if (duration.isZero()) {
            return "0 s";
        }
        if (duration.isNegative()) {
            return duration.toSeconds() == Long.MIN_VALUE ? duration.toString() : "-" + of(duration.negated());
        }
        if (duration.getNano() == 0 && duration.toSeconds() % YEAR.toSeconds() == 0) {
            return counted(duration.toSeconds() / YEAR.toSeconds(), "year");
        }
        List<String> parts = new ArrayList<>();
        add(parts, counted(duration.toDays(), "day"), duration.toDays());
        add(parts, duration.toHoursPart() + " h", duration.toHoursPart());
        add(parts, duration.toMinutesPart() + " min", duration.toMinutesPart());
        add(parts, duration.toSecondsPart() + " s", duration.toSecondsPart());
        add(parts, duration.toMillisPart() + " ms", duration.toMillisPart());
        int nanos = duration.getNano() % NANOS_PER_MILLI;
        add(parts, nanos + " ns", nanos);
        return String.join(" ", parts);
    }

    private static String counted(long count, String unit) {
        return String.format(Locale.ROOT, "%,d %s%s", count, unit, count == 1 ? "" : "s");
    }

    private static void add(List<String> parts, String part, long count) {
        if (count > 0) {
            parts.add(part);
        }
    }
}
