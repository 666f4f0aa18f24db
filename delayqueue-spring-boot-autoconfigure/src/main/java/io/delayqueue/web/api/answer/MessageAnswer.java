package io.delayqueue.web.api.answer;

import io.delayqueue.message.Envelope;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.web.api.json.JsonText;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A live message, with its payload in one of three forms.
 *
 * @param topic where it is
 * @param id its id
 * @param state scheduled, ready or leased
 * @param dueAt when it is next due; of a leased one, when it was
 * @param sentAt when it was sent, by Redis' clock
 * @param attempts how often it was delivered, the running delivery included
 * @param leaseEnd until when its lease holds, while it is leased
 * @param lastFailure why the last attempt failed
 * @param headers names and values
 * @param payload what is stored, if that is JSON
 * @param payloadText what is stored, if that is other text
 * @param payloadBase64 what is stored, in Base64, if that is no text
 */
public record MessageAnswer(
        String topic,
        String id,
        String state,
        Instant dueAt,
        Instant sentAt,
        int attempts,
        @Nullable Instant leaseEnd,
        @Nullable String lastFailure,
        Map<String, String> headers,
        @Nullable JsonText payload,
        @Nullable String payloadText,
        @Nullable String payloadBase64) {

    /** As it was seen. */
    public static MessageAnswer of(MessageSnapshot message) {
        Envelope envelope = message.envelope();
        Payload payload = Payload.of(envelope.payload());
        return new MessageAnswer(
                message.topic(),
                message.id(),
                Words.of(message.state()),
                message.dueAt(),
                envelope.sentAt(),
                message.attempts(),
                message.leaseEnd(),
                message.lastFailure(),
                envelope.headers(),
                payload.json(),
                payload.text(),
                payload.base64());
    }
}
