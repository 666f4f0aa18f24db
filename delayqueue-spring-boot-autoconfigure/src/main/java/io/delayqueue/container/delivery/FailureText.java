package io.delayqueue.container.delivery;

import io.delayqueue.message.Failure;
import java.io.PrintWriter;
import java.io.StringWriter;

/** Failures as they are kept: shortened, the stack trimmed. */
final class FailureText {

    private static final int MAX_MESSAGE = 500;
    private static final int MAX_STACK = 4000;

    private FailureText() {}

    static String shorten(String text) {
        return text.length() <= MAX_MESSAGE ? text : text.substring(0, MAX_MESSAGE) + "…";
    }

    static Failure brief(Throwable exception) {
        return new Failure(exception.getClass().getName(), shorten(message(exception)));
    }

    static Failure full(Throwable exception) {
        Failure brief = brief(exception);
        String text = stack(exception);
        return new Failure(
                brief.type(), brief.message(), text.length() <= MAX_STACK ? text : text.substring(0, MAX_STACK) + "…");
    }

    private static String message(Throwable exception) {
        try {
            String message = exception.getMessage();
            return message == null ? "" : message;
        } catch (RuntimeException | Error e) { // written by somebody, as any exception is
            return "its message cannot be read: " + e.getClass().getName();
        }
    }

    private static String stack(Throwable exception) {
        try {
            StringWriter stack = new StringWriter();
            exception.printStackTrace(new PrintWriter(stack));
            return stack.toString();
        } catch (RuntimeException | Error e) {
            return exception.getClass().getName();
        }
    }
}
