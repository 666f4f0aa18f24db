package io.delayqueue.web.api.response;

import io.delayqueue.message.SendResult;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The result of sending a message.
 *
 * @param topic topic of the message
 * @param id id of the message, generated if the request has none
 * @param outcome accepted, replaced, or kept (a live message with this id exists); in a batch also duplicate, rejected
 *     or unknown
 * @param dueAt due time, by Redis' clock; omitted if the message was not stored
 * @param reason why the message was not stored, or why the outcome is unknown
 */
public record SendResponse(
        String topic,
        String id,
        String outcome,
        @Nullable Instant dueAt,
        @Nullable String reason) {

    /** Creates the response of a result. */
    public static SendResponse of(SendResult result) {
        if (result instanceof SendResult.Accepted accepted) {
            return new SendResponse(result.topic(), result.id(), "accepted", accepted.dueAt(), null);
        }
        if (result instanceof SendResult.Replaced replaced) {
            return new SendResponse(result.topic(), result.id(), "replaced", replaced.dueAt(), null);
        }
        if (result instanceof SendResult.Kept) {
            return new SendResponse(result.topic(), result.id(), "kept", null, null);
        }
        if (result instanceof SendResult.Duplicate) {
            return new SendResponse(
                    result.topic(), result.id(), "duplicate", null, "A message with this id is live. Nothing changed.");
        }
        if (result instanceof SendResult.Rejected rejected) {
            return new SendResponse(result.topic(), result.id(), "rejected", null, rejected.detail());
        }
        return result instanceof SendResult.Unknown unknown && unknown.reason() == SendResult.Reason.NOT_CONFIRMED
                ? new SendResponse(
                        result.topic(),
                        result.id(),
                        "unknown",
                        null,
                        "The message is stored on the master of Redis, but a failover may lose it: " + unknown.detail()
                                + ".")
                : new SendResponse(
                        result.topic(),
                        result.id(),
                        "unknown",
                        null,
                        "Redis did not reply. It is unknown whether the message was stored.");
    }
}
