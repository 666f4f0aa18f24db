package io.delayqueue.web.api.answer;

import io.delayqueue.message.CancelOutcome;

/**
 * A message was cancelled.
 *
 * @param outcome cancelled, or cancelled_while_handled: then no retry follows, but whoever handles it isn't stopped
 */
public record CancelledAnswer(String outcome) {

    /** As it was told. */
    public static CancelledAnswer of(CancelOutcome outcome) {
        return new CancelledAnswer(Words.of(outcome));
    }
}
