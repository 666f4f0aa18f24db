package io.delayqueue.actuate.response;

import io.delayqueue.admin.ReplaySummary;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The result of an action.
 *
 * @param outcome the outcome in lower case, such as {@code being_handled}
 * @param purged the number of purged dead letters if all of a topic were purged
 * @param replayed the number of replayed dead letters if all of a topic were replayed
 * @param kept the number of dead letters that were not replayed because a message with their id is live or they cannot
 *     be read
 * @param detail the reason why nothing changed or why the outcome is unknown
 */
public record ActionResponse(
        String outcome,
        @Nullable Long purged,
        @Nullable Long replayed,
        @Nullable Long kept,
        @Nullable String detail) implements OperationResponseBody {

    /** Creates the response of a successful action. */
    public static ActionResponse done(String outcome) {
        return new ActionResponse(outcome, null, null, null, null);
    }

    /** Creates the response of a successful action. */
    public static ActionResponse done(Enum<?> outcome) {
        return done(word(outcome));
    }

    /** Creates the response of {@code purge-all}. */
    public static ActionResponse purged(long count) {
        return new ActionResponse("purged", count, null, null, null);
    }

    /** Creates the response of {@code replay-all}. */
    public static ActionResponse replayed(ReplaySummary summary) {
        return new ActionResponse("replayed", null, summary.replayed(), summary.kept(), null);
    }

    /** Creates the response of an action that changed nothing or whose outcome is unknown. */
    public static ActionResponse failed(String outcome, String detail) {
        return new ActionResponse(outcome, null, null, null, new ErrorResponse(detail).detail());
    }

    /** Creates the response of an action that changed nothing. */
    public static ActionResponse failed(Enum<?> outcome, String detail) {
        return failed(word(outcome), detail);
    }

    private static String word(Enum<?> outcome) {
        return outcome.name().toLowerCase(Locale.ROOT);
    }
}
