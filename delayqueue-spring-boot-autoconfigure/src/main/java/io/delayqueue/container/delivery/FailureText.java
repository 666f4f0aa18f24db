package io.delayqueue.container.delivery;

import io.delayqueue.message.Failure;
import java.io.PrintWriter;
import java.io.StringWriter;

/** Exceptions as failures that are kept; {@link Failure} cuts what is too long. */
final class FailureText {

    private FailureText() {}

    static Failure brief(Throwable exception) {
        return new Failure(exception.getClass().getName(), message(exception));
    }

    static Failure full(Throwable exception) {
        Failure brief = brief(exception);
        return new Failure(brief.type(), brief.message(), stack(exception));
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
