package io.delayqueue.message;

import org.jspecify.annotations.Nullable;

/**
 * Why an attempt failed, as it is kept with the message. Whoever makes one may give texts of any length: here they are
 * cut, so that a failure never outgrows its message.
 *
 * @param type the exception's class name, or a short word where there was no exception; cut at 500 characters
 * @param message cut at 500 characters
 * @param stack the stack trace, only with dead letters; cut at 4,000 characters
 */
public record Failure(String type, String message, @Nullable String stack) {

    private static final int MAX_TEXT = 500;
    private static final int MAX_STACK = 4000;
    private static final String CUT = "…";

    /** Cuts what is too long. */
    public Failure {
        type = cut(type, MAX_TEXT);
        message = cut(message, MAX_TEXT);
        stack = stack == null ? null : cut(stack, MAX_STACK);
    }

    /** Without a stack. */
    public Failure(String type, String message) {
        this(type, message, null);
    }

    /** Type and message in one line. */
    public String summary() {
        return message.isEmpty() ? type : type + ": " + message;
    }

    /** What was cut before is as long as that and its mark, and stays as it is. */
    private static String cut(String text, int max) {
        if (text.length() <= max || (text.length() == max + 1 && text.endsWith(CUT))) {
            return text;
        }
        // half a surrogate pair could not be written
        int end = Character.isHighSurrogate(text.charAt(max - 1)) ? max - 1 : max;
        return text.substring(0, end) + CUT;
    }
}
