package io.delayqueue.actuate.answer;

import io.delayqueue.message.Envelope;
import io.delayqueue.message.MessageSnapshot;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A live message.
 *
 * @param state scheduled, ready or leased
 * @param due when it is next due; of a leased one, when it was
 * @param headers left out for those who may not see payloads
 */
public record MessageAnswer(
        String topic,
        String id,
        String state,
        Instant due,
        Instant sent,
        int attempts,
        @Nullable Instant leaseEnd,
        @Nullable String holder,
        @Nullable String lastFailure,
        @Nullable Map<String, String> headers,
        PayloadAnswer payload)
        implements OperationResponseBody {

    /**
     * As it was seen.
     *
     * @param open whether the caller may see payload and headers
     */
    public static MessageAnswer of(MessageSnapshot message, boolean open) {
        Envelope envelope = message.envelope();
        return new MessageAnswer(
                message.topic(),
                message.id(),
                message.state().name().toLowerCase(Locale.ROOT),
                message.dueAt(),
                envelope.sentAt(),
                message.attempts(),
                message.leaseEnd(),
                message.holder(),
                message.lastFailure(),
                open ? envelope.headers() : null,
                open ? PayloadAnswer.shown(envelope.payload()) : PayloadAnswer.hidden(envelope.payload()));
    }

    /**
     * A page of them.
     *
     * @param next by which to ask for the page that follows; left out on the last one
     */
    public record Page(
            List<MessageAnswer> messages, @Nullable String next) implements OperationResponseBody {}
}
