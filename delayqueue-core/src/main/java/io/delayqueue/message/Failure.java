package io.delayqueue.message;

import io.delayqueue.Internal;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why an attempt failed, as stored with the message. Longer texts are cut, so that a failure never becomes larger
 * than its message.
 *
 * @param type the exception's class name, or a short word if there was no exception; cut to 500 characters
 * @param message cut to 500 characters
 * @param stack the stack trace, for dead letters only; cut to 4,000 characters
 */
public record Failure(String type, String message, @Nullable String stack) {

    /**
     * A failed attempt.
     *
     * @param failedAt when Redis recorded the failure, by its clock
     * @param attempt number of the attempt, from 1
     * @param node the node whose listener or receiver had the message; null if it is unknown
     * @param handling handling time; null if it is unknown
     * @param failure type and message of the failure
     */
    public record Attempt(
            Instant failedAt,
            int attempt,
            @Nullable String node,
            @Nullable Duration handling,
            String failure) {}

    private static final int MAX_CAUSES = 50;
    private static final int MAX_TEXT = 500;
    private static final int MAX_STACK = 4000;
    private static final String CUT = "…";

    /** Cuts texts that are too long. */
    public Failure {
        type = cut(type, MAX_TEXT);
        message = cut(message, MAX_TEXT);
        stack = stack == null ? null : cut(stack, MAX_STACK);
    }

    /** Describes an exception without its stack trace. Never throws, even if the methods of the exception do. */
    public static Failure of(Throwable exception) {
        return new Failure(exception.getClass().getName(), messageOf(exception));
    }

    /** Describes an exception with its stack trace. Never throws, even if the methods of the exception do. */
    @Internal
    public static Failure withStack(Throwable exception) {
        return new Failure(exception.getClass().getName(), messageOf(exception), stackOf(exception));
    }

    /** Returns the cause of an exception; null if it has none or its {@code getCause} throws. */
    @Internal
    public static @Nullable Throwable causeOf(Throwable exception) {
        try {
            return exception.getCause();
        } catch (Throwable e) {
            return null;
        }
    }

    /** Whether an exception or one of its causes has one of these types. */
    @Internal
    public static boolean hasCause(Throwable exception, List<? extends Class<? extends Throwable>> types) {
        return types.stream().anyMatch(type -> findCause(exception, type) != null);
    }

    /** Returns the exception or its first cause that has a type; null if there is none among the first 50. */
    @Internal
    public static <T extends Throwable> @Nullable T findCause(Throwable exception, Class<T> type) {
        Throwable cause = exception;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
            if (type.isInstance(cause)) {
                return type.cast(cause);
            }
            cause = causeOf(cause);
        }
        return null;
    }

    private static String messageOf(Throwable exception) {
        try {
            String message = exception.getMessage();
            return message == null ? "" : message;
        } catch (Throwable e) {
            return "its message cannot be read: " + e.getClass().getName();
        }
    }

    private static String stackOf(Throwable exception) {
        try {
            StringWriter stack = new StringWriter();
            exception.printStackTrace(new PrintWriter(stack));
            return stack.toString();
        } catch (Throwable e) {
            return exception.getClass().getName();
        }
    }

    /** Without a stack. */
    public Failure(String type, String message) {
        this(type, message, null);
    }

    /** Type and message on one line. */
    public String summary() {
        return message.isEmpty() ? type : type + ": " + message;
    }

    /** A text that was cut before is one character too long because of its mark, and is not cut again. */
    private static String cut(String text, int max) {
        if (text.length() <= max || (text.length() == max + 1 && text.endsWith(CUT))) {
            return text;
        }
        // UTF-8 cannot encode an unpaired surrogate
        int end = Character.isHighSurrogate(text.charAt(max - 1)) ? max - 1 : max;
        return text.substring(0, end) + CUT;
    }
}
