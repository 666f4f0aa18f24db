package io.delayqueue.annotation;

import io.delayqueue.listener.Backoff;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Back-off in one line:
 *
 * <ul>
 *   <li>{@code fixed 5s}: the same delay each time;
 *   <li>{@code exponential 1s x2 max 1h jitter 0.2}: a growing one; all but the first delay may be left out, these are
 *       their defaults, and their order is free;
 *   <li>{@code 0s,0s,2m,10m,10m,1h,2h,6h,15h}: a list of at least two intervals, the first one following the first
 *       attempt. At its end the message is given up, or before, when its attempts are spent. A list of one is written
 *       with its word: {@code intervals 5s}.
 * </ul>
 *
 * <p>A duration is written {@code 500ms}, {@code 30s}, {@code 1h30m} or {@code PT30S}.
 */
public final class BackoffExpression {

    private static final List<String> WORDS = List.of("fixed", "exponential", "intervals");

    private BackoffExpression() {}

    /** Whether the text is meant as such an expression, well-formed or not, rather than as the name of a bean. */
    public static boolean matches(String text) {
        String trimmed = text.trim();
        return trimmed.contains(",") || isDuration(trimmed) || WORDS.contains(firstWord(trimmed));
    }

    /**
     * Reads an expression.
     *
     * @throws IllegalArgumentException saying what is wrong with it
     */
    public static Backoff parse(String text) {
        String trimmed = text.trim();
        String word = firstWord(trimmed);
        return switch (word) {
            case "fixed" -> new Backoff.Fixed(duration(rest(trimmed, word)));
            case "exponential" -> exponential(rest(trimmed, word));
            case "intervals" -> intervals(rest(trimmed, word));
            default -> bare(trimmed);
        };
    }

    private static Backoff bare(String text) {
        if (text.contains(",")) {
            return intervals(text);
        }
        if (isDuration(text)) {
            throw new IllegalArgumentException("'" + text + "' may mean 'fixed " + text + "' or 'intervals " + text
                    + "' (a single retry): one of these words is missing");
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
        Duration max = Duration.ofHours(1);
        double jitter = 0.2;
        while (words.hasNext()) {
            String word = words.next().toLowerCase(Locale.ROOT);
            if (word.equals("max")) {
                max = duration(argument(word, words));
            } else if (word.equals("jitter")) {
                jitter = number(argument(word, words));
            } else if (word.startsWith("x")) {
                multiplier = number(word.substring(1));
            } else {
                throw new IllegalArgumentException("'" + word + "' is none of 'x2', 'max 1h' and 'jitter 0.2'");
            }
        }
        return new Backoff.Exponential(initial, multiplier, max, jitter);
    }

    private static String argument(String word, Iterator<String> words) {
        if (!words.hasNext()) {
            throw new IllegalArgumentException("'" + word + "' is followed by a value");
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
            return DurationFormatterUtils.detectAndParse(text.trim());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + text.trim() + "' is not a duration such as 30s or 1h30m", e);
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

    private static String rest(String text, String word) {
        return text.substring(word.length()).trim();
    }
}
