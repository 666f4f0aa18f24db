package io.delayqueue.annotation;

import io.delayqueue.listener.Backoff;
import io.delayqueue.message.DurationText;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A back-off in one line:
 *
 * <ul>
 *   <li>{@code fixed 5s}: the same delay each time;
 *   <li>{@code exponential 1s x2 max 1h jitter 0.2}: a growing delay. Only the first delay is required; the other parts
 *       may have any order, and these values are their defaults. If the first delay is longer than 1 h, it is the
 *       default of {@code max};
 *   <li>{@code 0s,0s,2m,10m,10m,1h,2h,6h,15h}: a list of at least two intervals; the first one follows the first
 *       attempt. The message is dead-lettered if the attempt after the last interval, or its last permitted attempt,
 *       fails. A list of one interval needs the word {@code intervals}: {@code intervals 5s}.
 * </ul>
 *
 * <p>A duration has the format {@code 500ms}, {@code 30s}, {@code 1h30m} or {@code PT30S}. A number other than 0
 * needs a unit.
 */
public final class BackoffExpression {

    private static final List<String> WORDS = List.of("fixed", "exponential", "intervals");
    private static final Duration LONGEST = Duration.ofHours(1);

    private BackoffExpression() {}

    /** Whether a text is such an expression, valid or not, and not the name of a bean. */
    static boolean matches(String text) {
        String trimmed = text.trim();
        return trimmed.contains(",")
                || DurationText.lacksUnit(trimmed)
                || isDuration(trimmed)
                || WORDS.contains(firstWord(trimmed));
    }

    /**
     * Parses an expression.
     *
     * @throws IllegalArgumentException if the expression is invalid; the message says why
     */
    public static Backoff parse(String text) {
        String trimmed = text.trim();
        String word = firstWord(trimmed);
        return switch (word) {
            case "fixed" -> new Backoff.Fixed(duration(rest(trimmed, word, "fixed 5s")));
            case "exponential" -> exponential(rest(trimmed, word, "exponential 1s"));
            case "intervals" -> intervals(rest(trimmed, word, "intervals 5s,1m"));
            default -> bare(trimmed);
        };
    }

    private static Backoff bare(String text) {
        if (text.contains(",")) {
            return intervals(text);
        }
        boolean lacksUnit = DurationText.lacksUnit(text);
        if (lacksUnit || isDuration(text)) {
            String duration = lacksUnit ? text + "s" : text;
            throw new IllegalArgumentException("'" + text + "' " + (lacksUnit ? "has no unit and is" : "is")
                    + " ambiguous: write 'fixed " + duration + "' or 'intervals " + duration + "' (a single retry)");
        }
        throw new IllegalArgumentException("'" + text + "' is not a back-off such as 'fixed 5s',"
                + " 'exponential 1s x2 max 1h jitter 0.2' or '0s,2m,10m'");
    }

    private static Backoff intervals(String text) {
        return new Backoff.Intervals(Arrays.stream(text.split(",", -1))
                .map(BackoffExpression::duration)
                .toList());
    }

    private static Backoff exponential(String text) {
        Iterator<String> words = Arrays.asList(text.split("\\s+")).iterator();
        Duration initial = duration(words.next());
        double multiplier = 2;
        Duration max = initial.compareTo(LONGEST) > 0 ? initial : LONGEST;
        double jitter = 0.2;
        Set<String> given = new HashSet<>();
        while (words.hasNext()) {
            String word = words.next().toLowerCase(Locale.ROOT);
            if (!given.add(word.startsWith("x") ? "x" : word)) {
                throw new IllegalArgumentException("'" + word + "' is given twice");
            }
            if (word.equals("max")) {
                max = duration(argument(word, words));
            } else if (word.equals("jitter")) {
                jitter = number(argument(word, words));
            } else if (word.startsWith("x") && word.length() > 1) {
                multiplier = number(word.substring(1));
            } else {
                throw new IllegalArgumentException("'" + word + "' must be one of 'x2', 'max 1h' and 'jitter 0.2'");
            }
        }
        return new Backoff.Exponential(initial, multiplier, max, jitter);
    }

    private static String argument(String word, Iterator<String> words) {
        if (!words.hasNext()) {
            throw new IllegalArgumentException("'" + word + "' needs a value");
        }
        return words.next();
    }

    private static double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is not a number", e);
        }
    }

    private static Duration duration(String text) {
        try {
            return DurationText.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + text.trim() + "' " + e.getMessage(), e);
        }
    }

    private static boolean isDuration(String text) {
        try {
            duration(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static String firstWord(String text) {
        return text.split("\\s+", 2)[0].toLowerCase(Locale.ROOT);
    }

    private static String rest(String text, String word, String example) {
        String rest = text.substring(word.length()).trim();
        if (rest.isEmpty()) {
            throw new IllegalArgumentException("'" + word + "' requires a duration, for example '" + example + "'");
        }
        return rest;
    }
}
