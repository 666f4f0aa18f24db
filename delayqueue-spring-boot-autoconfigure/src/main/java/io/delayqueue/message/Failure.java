package io.delayqueue.message;

import org.jspecify.annotations.Nullable;

/**
 * Why an attempt failed, as it is kept with the message.
 *
 * @param type the exception's class name, or a short word where there was no exception
 * @param message shortened
 * @param stack the trimmed stack trace, only with dead letters
 */
public record Failure(String type, String message, @Nullable String stack) {

    /** Without a stack. */
    public Failure(String type, String message) {
        this(type, message, null);
    }

    /** Type and message in one line. */
    public String summary() {
        return message.isEmpty() ? type : type + ": " + message;
    }
}
