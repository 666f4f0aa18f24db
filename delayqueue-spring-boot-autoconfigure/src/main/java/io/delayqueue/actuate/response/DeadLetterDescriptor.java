package io.delayqueue.actuate.response;

import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.Envelope;
import io.delayqueue.message.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A dead letter.
 *
 * @param id the id of the message
 * @param cause one of {@link io.delayqueue.message.DeadLetterCause} in lower case, or an unknown cause from a newer
 *     version
 * @param node the node of the last attempt; omitted if unknown
 * @param startedAt when the handler of the last attempt started; omitted if unknown
 * @param handlingMillis how long that handler ran; omitted if unknown
 * @param dueAt the due time that the last send, reschedule or replay of the message set
 * @param headers omitted if the caller may not see payloads
 */
public record DeadLetterDescriptor(
        String topic,
        String deadLetterId,
        String id,
        Instant deadLetteredAt,
        String cause,
        int attempts,
        @Nullable String node,
        @Nullable Instant startedAt,
        @Nullable Long handlingMillis,
        @Nullable Failure failure,
        Instant dueAt,
        Instant sentAt,
        @Nullable Map<String, String> headers,
        PayloadDescriptor payload)
        implements OperationResponseBody {

    /**
     * Creates the descriptor of a dead letter.
     *
     * @param showPayloads whether the caller may see payload and headers
     */
    public static DeadLetterDescriptor of(DeadLetter deadLetter, boolean showPayloads) {
        Envelope envelope = deadLetter.envelope();
        Duration handling = deadLetter.handling();
        return new DeadLetterDescriptor(
                deadLetter.topic(),
                deadLetter.deadLetterId(),
                deadLetter.messageId(),
                deadLetter.deadLetteredAt(),
                deadLetter.causeName().toLowerCase(Locale.ROOT),
                deadLetter.attempts(),
                deadLetter.node(),
                handling == null ? null : deadLetter.deadLetteredAt().minus(handling),
                handling == null ? null : handling.toMillis(),
                deadLetter.failure(),
                envelope.dueAt(),
                envelope.sentAt(),
                showPayloads ? envelope.headers() : null,
                PayloadDescriptor.of(envelope.payload(), showPayloads));
    }

    /**
     * A page of dead letters.
     *
     * @param next the value of the parameter {@code page} for the next page; omitted on the last page
     */
    public record Page(
            List<DeadLetterDescriptor> deadLetters,
            @Nullable String next) implements OperationResponseBody {}
}
