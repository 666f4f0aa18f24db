package io.delayqueue.web.api.answer;

import io.delayqueue.message.SendResult;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What became of a message.
 *
 * @param topic where it went
 * @param id its id, generated where none was given
 * @param outcome accepted, replaced, kept (a live message of that id), and in a batch also duplicate, refused or unknown
 * @param dueAt when it is due, by Redis' clock; only of one that was stored
 * @param reason why it was not stored, or nobody knows whether it was
 */
public record SentAnswer(
        String topic,
        String id,
        String outcome,
        @Nullable Instant dueAt,
        @Nullable String reason) {

    /** As it was told. */
    public static SentAnswer of(SendResult result) {
        if (result instanceof SendResult.Accepted accepted) {
            return new SentAnswer(result.topic(), result.id(), "accepted", accepted.dueAt(), null);
        }
        if (result instanceof SendResult.Replaced replaced) {
            return new SentAnswer(result.topic(), result.id(), "replaced", replaced.dueAt(), null);
        }
        if (result instanceof SendResult.Kept) {
            return new SentAnswer(result.topic(), result.id(), "kept", null, null);
        }
        if (result instanceof SendResult.Duplicate) {
            return new SentAnswer(
                    result.topic(), result.id(), "duplicate", null, "A message of that id is live: nothing changed.");
        }
        return result instanceof SendResult.Refused refused
                ? new SentAnswer(result.topic(), result.id(), "refused", null, refused.reason())
                : new SentAnswer(
                        result.topic(),
                        result.id(),
                        "unknown",
                        null,
                        "Redis did not answer: nobody knows whether it was stored.");
    }
}
