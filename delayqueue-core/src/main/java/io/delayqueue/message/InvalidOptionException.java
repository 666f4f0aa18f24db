package io.delayqueue.message;

import io.delayqueue.Internal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The value of an option is out of range or contradicts the value of another option. */
public final class InvalidOptionException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String option;
    private final String problem;

    /**
     * Creates the exception.
     *
     * @param option the name of the option, such as {@code maxAttempts}
     * @param problem a predicate whose subject is the option: "must be from 1 to 10, but was 0"
     */
    public InvalidOptionException(String option, String problem) {
        this(option, problem, null);
    }

    /** Creates the exception with a cause. */
    public InvalidOptionException(String option, String problem, @Nullable Throwable cause) {
        super(option + " " + problem, cause);
        this.option = option;
        this.problem = problem;
    }

    /**
     * Checks a condition.
     *
     * @throws InvalidOptionException if {@code holds} is false
     */
    @Internal
    public static void require(boolean holds, String option, String problem) {
        if (!holds) {
            throw new InvalidOptionException(option, problem);
        }
    }

    /**
     * Checks that a value is in a range.
     *
     * @param min the least permitted value
     * @param max the greatest permitted value
     * @throws InvalidOptionException if the value is out of range
     */
    @Internal
    public static <T extends Comparable<T>> void requireRange(String option, T value, T min, T max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new InvalidOptionException(
                    option, "must be from " + text(min) + " to " + text(max) + ", but was " + text(value));
        }
    }

    private static String text(Object value) {
        return value instanceof Duration duration ? DurationText.of(duration) : value.toString();
    }

    /** The name of the option. */
    public String option() {
        return option;
    }

    /** What is wrong with the value: a predicate whose subject is the option. */
    public String problem() {
        return problem;
    }
}
