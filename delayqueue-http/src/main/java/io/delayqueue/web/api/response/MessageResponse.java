package io.delayqueue.web.api.response;

import io.delayqueue.message.Envelope;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.web.api.json.JsonText;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A live message, with its payload in one of three forms.
 *
 * @param topic topic of the message
 * @param id id of the message
 * @param state scheduled, ready, leased or suspect
 * @param dueAt time of the next delivery, by Redis' clock; if leased, the due time of the current delivery
 * @param sentAt time of the send, by Redis' clock
 * @param attempts number of deliveries that were settled, and the current one
 * @param postponements how often the message was postponed
 * @param crashes number of leases that ended without a settlement since the last settlement
 * @param leaseEnd end of the lease, by Redis' clock; omitted if the message is not leased
 * @param lastFailure cause of the last failed attempt; omitted if there was none
 * @param headers names and values
 * @param payload stored payload, if it is JSON
 * @param payloadText stored payload, if it is UTF-8 text but not JSON
 * @param payloadBase64 stored payload in Base64, if it is not UTF-8 text
 */
public record MessageResponse(
        String topic,
        String id,
        MessageState state,
        Instant dueAt,
        Instant sentAt,
        int attempts,
        int postponements,
        int crashes,
        @Nullable Instant leaseEnd,
        @Nullable String lastFailure,
        Map<String, String> headers,
        @Nullable JsonText payload,
        @Nullable String payloadText,
        @Nullable String payloadBase64) {

    /** Creates the response of a message. */
    public static MessageResponse of(MessageSnapshot message) {
        Envelope envelope = message.envelope();
        Payload payload = Payload.of(envelope.payload());
        return new MessageResponse(
                message.topic(),
                message.id(),
                message.state(),
                message.dueAt(),
                envelope.sentAt(),
                message.attempts(),
                message.postponements(),
                message.crashes(),
                message.leaseEnd(),
                message.lastFailure(),
                envelope.headers(),
                payload.json(),
                payload.text(),
                payload.base64());
    }
}
