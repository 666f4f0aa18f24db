package io.delayqueue.web.api.response;

import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Envelope;
import io.delayqueue.message.Failure;
import io.delayqueue.web.api.json.JsonText;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter, with its payload in one of three forms.
 *
 * @param topic topic of the message
 * @param deadLetterId id of the dead letter
 * @param id id of the message
 * @param deadLetteredAt time of dead-lettering, by Redis' clock
 * @param cause why the message was dead-lettered
 * @param attempts number of deliveries
 * @param node the node of the last attempt; omitted if a client received the message, or if unknown
 * @param startedAt when the last attempt began; omitted if unknown
 * @param handlingMillis how long the last attempt took, in milliseconds; omitted if unknown
 * @param failure the last failure; omitted if there was none
 * @param dueAt due time by the last send, reschedule or replay
 * @param sentAt time of the send, by Redis' clock
 * @param headers names and values
 * @param payload stored payload, if it is JSON
 * @param payloadText stored payload, if it is UTF-8 text but not JSON
 * @param payloadBase64 stored payload in Base64, if it is not UTF-8 text
 */
public record DeadLetterResponse(
        String topic,
        String deadLetterId,
        String id,
        Instant deadLetteredAt,
        DeadLetterCause cause,
        int attempts,
        @Nullable String node,
        @Nullable Instant startedAt,
        @Nullable Long handlingMillis,
        @Nullable Failure failure,
        Instant dueAt,
        Instant sentAt,
        Map<String, String> headers,
        @Nullable JsonText payload,
        @Nullable String payloadText,
        @Nullable String payloadBase64) {

    /** Creates the response of a dead letter. */
    public static DeadLetterResponse of(DeadLetter deadLetter) {
        Envelope envelope = deadLetter.envelope();
        Duration handling = deadLetter.handling();
        Payload payload = Payload.of(envelope.payload());
        return new DeadLetterResponse(
                deadLetter.topic(),
                deadLetter.deadLetterId(),
                deadLetter.messageId(),
                deadLetter.deadLetteredAt(),
                deadLetter.cause(),
                deadLetter.attempts(),
                deadLetter.node(),
                handling == null ? null : deadLetter.deadLetteredAt().minus(handling),
                handling == null ? null : handling.toMillis(),
                deadLetter.failure(),
                envelope.dueAt(),
                envelope.sentAt(),
                envelope.headers(),
                payload.json(),
                payload.text(),
                payload.base64());
    }

    /**
     * A page of dead letters, newest first.
     *
     * @param deadLetters may have fewer elements than requested if they are large
     * @param next value of the parameter page for the next page; omitted on the last page
     */
    public record Page(
            List<DeadLetterResponse> deadLetters, @Nullable String next) {

        /** Copies the dead letters. */
        public Page {
            deadLetters = List.copyOf(deadLetters);
        }
    }
}
