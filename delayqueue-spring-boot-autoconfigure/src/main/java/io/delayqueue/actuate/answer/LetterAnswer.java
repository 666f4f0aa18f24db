package io.delayqueue.actuate.answer;

import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.Envelope;
import io.delayqueue.message.Failure;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A dead letter.
 *
 * @param id the id the message had
 * @param cause one of {@link io.delayqueue.message.DeathCause}
 * @param due when the message was due by its last send, reschedule or replay
 * @param headers left out for those who may not see payloads
 */
public record LetterAnswer(
        String topic,
        String letterId,
        String id,
        Instant diedAt,
        String cause,
        int attempts,
        @Nullable Failure failure,
        Instant due,
        Instant sent,
        @Nullable Map<String, String> headers,
        PayloadAnswer payload)
        implements OperationResponseBody {

    /**
     * As it is kept.
     *
     * @param open whether the caller may see payload and headers
     */
    public static LetterAnswer of(DeadLetter letter, boolean open) {
        Envelope envelope = letter.envelope();
        return new LetterAnswer(
                letter.topic(),
                letter.letterId(),
                letter.messageId(),
                letter.diedAt(),
                letter.cause().name(),
                letter.attempts(),
                letter.failure(),
                envelope.dueAt(),
                envelope.sentAt(),
                open ? envelope.headers() : null,
                open ? PayloadAnswer.shown(envelope.payload()) : PayloadAnswer.hidden(envelope.payload()));
    }

    /**
     * A page of them.
     *
     * @param next by which to ask for the page that follows; left out on the last one
     */
    public record Page(List<LetterAnswer> letters, @Nullable String next) implements OperationResponseBody {}
}
