package io.delayqueue.web.api.answer;

import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.Envelope;
import io.delayqueue.message.Failure;
import io.delayqueue.web.api.json.JsonText;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter, with its payload in one of three forms.
 *
 * @param topic where it is
 * @param letterId its own id, which names this death
 * @param id the id the message had
 * @param diedAt when, by Redis' clock
 * @param cause attempts_spent, lease_over, expired, buried, not_retryable or unreadable
 * @param attempts how often the message was delivered
 * @param failure the last one, where there was one
 * @param dueAt when the message was due by its last send, reschedule or replay
 * @param sentAt when it was sent
 * @param headers names and values
 * @param payload what is stored, if that is JSON
 * @param payloadText what is stored, if that is other text
 * @param payloadBase64 what is stored, in Base64, if that is no text
 */
public record LetterAnswer(
        String topic,
        String letterId,
        String id,
        Instant diedAt,
        String cause,
        int attempts,
        @Nullable Failure failure,
        Instant dueAt,
        Instant sentAt,
        Map<String, String> headers,
        @Nullable JsonText payload,
        @Nullable String payloadText,
        @Nullable String payloadBase64) {

    /** As it is kept. */
    public static LetterAnswer of(DeadLetter letter) {
        Envelope envelope = letter.envelope();
        Payload payload = Payload.of(envelope.payload());
        return new LetterAnswer(
                letter.topic(),
                letter.letterId(),
                letter.messageId(),
                letter.diedAt(),
                Words.of(letter.cause()),
                letter.attempts(),
                letter.failure(),
                envelope.dueAt(),
                envelope.sentAt(),
                envelope.headers(),
                payload.json(),
                payload.text(),
                payload.base64());
    }

    /**
     * A page of dead letters, the youngest first.
     *
     * @param letters fewer than asked for when they are large
     * @param next by which to ask for the page that follows; left out on the last one
     */
    public record Page(List<LetterAnswer> letters, @Nullable String next) {

        /** Copies them. */
        public Page {
            letters = List.copyOf(letters);
        }
    }
}
