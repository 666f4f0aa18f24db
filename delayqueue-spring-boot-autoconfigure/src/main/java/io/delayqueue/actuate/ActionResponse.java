package io.delayqueue.actuate;

import io.delayqueue.admin.Job;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The result of an action.
 *
 * @param outcome the outcome in lower case, such as {@code being_handled}
 * @param expected the number of messages or dead letters on which a job acts
 * @param job the id of the job that was started
 * @param detail the reason why nothing changed or why the outcome is unknown
 */
public record ActionResponse(
        String outcome,
        @Nullable Long expected,
        @Nullable String job,
        @Nullable String detail) {

    /** Creates the response of a successful action. */
    public static ActionResponse done(String outcome) {
        return new ActionResponse(outcome, null, null, null);
    }

    /** Creates the response of a successful action. */
    public static ActionResponse done(Enum<?> outcome) {
        return done(word(outcome));
    }

    /** Creates the response of a job's preview. */
    public static ActionResponse previewed(long expected) {
        return new ActionResponse("previewed", expected, null, null);
    }

    /** Creates the response of a job that was started. */
    public static ActionResponse started(Job job) {
        return new ActionResponse("started", job.expected(), job.id(), null);
    }

    /** Creates the response of an action that changed nothing or whose outcome is unknown. */
    public static ActionResponse failed(String outcome, String detail) {
        return new ActionResponse(outcome, null, null, new ErrorResponse(detail).detail());
    }

    /** Creates the response of an action that changed nothing. */
    public static ActionResponse failed(Enum<?> outcome, String detail) {
        return failed(word(outcome), detail);
    }

    private static String word(Enum<?> outcome) {
        return outcome.name().toLowerCase(Locale.ROOT);
    }
}
