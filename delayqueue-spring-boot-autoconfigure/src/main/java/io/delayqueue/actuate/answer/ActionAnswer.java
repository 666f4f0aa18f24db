package io.delayqueue.actuate.answer;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What became of an action.
 *
 * @param outcome one upper-case word
 * @param count how many letters it changed, where it is for many
 * @param kept how many letters stayed since a message of their id is live or nobody can read them, where it replays many
 * @param error what to know where it changed nothing, or nobody knows whether it did
 */
public record ActionAnswer(
        String outcome,
        @Nullable Long count,
        @Nullable Long kept,
        @Nullable String error) implements OperationResponseBody {

    /** It is done. */
    public static ActionAnswer done(String outcome) {
        return new ActionAnswer(outcome, null, null, null);
    }

    /** It is done to so many. */
    public static ActionAnswer done(String outcome, long count) {
        return new ActionAnswer(outcome, count, null, null);
    }

    /** Nothing changed, as far as is known. */
    public static ActionAnswer nothing(String outcome, String error) {
        return new ActionAnswer(outcome, null, null, new ErrorAnswer(error).error());
    }
}
