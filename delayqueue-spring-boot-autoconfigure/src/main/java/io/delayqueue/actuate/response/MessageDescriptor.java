package io.delayqueue.actuate.response;

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
 * @param state scheduled, ready, leased or suspect
 * @param dueAt the due time; for a leased message, that of the current attempt
 * @param postponements how often the message was postponed
 * @param crashes the number of leases that ended without a settlement since the last settlement
 * @param headers omitted if the caller may not see payloads
 */
public record MessageDescriptor(
        String topic,
        String id,
        String state,
        Instant dueAt,
        Instant sentAt,
        int attempts,
        int postponements,
        int crashes,
        @Nullable Instant leaseEnd,
        @Nullable String holder,
        @Nullable String lastFailure,
        @Nullable Map<String, String> headers,
        PayloadDescriptor payload)
        implements OperationResponseBody {

    /**
     * Creates the descriptor of a message.
     *
     * @param showPayloads whether the caller may see payload and headers
     */
    public static MessageDescriptor of(MessageSnapshot message, boolean showPayloads) {
        Envelope envelope = message.envelope();
        return new MessageDescriptor(
                message.topic(),
                message.id(),
                message.state().name().toLowerCase(Locale.ROOT),
                message.dueAt(),
                envelope.sentAt(),
                message.attempts(),
                message.postponements(),
                message.crashes(),
                message.leaseEnd(),
                message.holder(),
                message.lastFailure(),
                showPayloads ? envelope.headers() : null,
                PayloadDescriptor.of(envelope.payload(), showPayloads));
    }

    /**
     * A page of messages.
     *
     * @param next the value of the parameter {@code page} for the next page; omitted on the last page
     */
    public record Page(
            List<MessageDescriptor> messages, @Nullable String next) implements OperationResponseBody {}
}
