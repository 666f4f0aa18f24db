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
        String message = exception.getMessage();
        return new Failure(exception.getClass().getName(), message == null ? "" : shorten(message));
    }

    static Failure full(Throwable exception) {
        Failure brief = brief(exception);
        StringWriter stack = new StringWriter();
        exception.printStackTrace(new PrintWriter(stack));
        String text = stack.toString();
        return new Failure(
                brief.type(), brief.message(), text.length() <= MAX_STACK ? text : text.substring(0, MAX_STACK) + "…");
    }
}
