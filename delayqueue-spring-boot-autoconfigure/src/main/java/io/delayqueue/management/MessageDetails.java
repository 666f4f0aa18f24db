package io.delayqueue.management;

import io.delayqueue.message.Envelope;
import io.delayqueue.message.Failure;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A live message. Times are by Redis' clock.
 *
 * @param topic topic of the message
 * @param id id of the message
 * @param key key of the message; omitted if it has none
 * @param state scheduled, ready, leased or suspect
 * @param parked whether the message is scheduled or ready, and waits for another message of its key, as only in an ordered topic
 * @param dueAt time of the next delivery; if leased, the due time of the current delivery
 * @param sentAt time of the send
 * @param attempts number of deliveries that were settled, and the current one
 * @param postponements how often the message was postponed
 * @param crashes number of leases that ended without a settlement since the last settlement
 * @param holder the consumer that holds the lease; omitted if the message is not leased
 * @param leaseEnd end of the lease; omitted if the message is not leased
 * @param lastFailure cause of the last failed attempt; omitted if there was none
 * @param failures the last failed attempts, the newest first
 * @param headers names and values; omitted if the caller may not see them
 * @param payload stored payload
 * @param successor the message that takes over when this one ends; omitted if there is none
 */
public record MessageDetails(
        String topic,
        String id,
        @Nullable String key,
        MessageState state,
        boolean parked,
        Instant dueAt,
        Instant sentAt,
        int attempts,
        int postponements,
        int crashes,
        @Nullable String holder,
        @Nullable Instant leaseEnd,
        @Nullable String lastFailure,
        List<Failure.Attempt> failures,
        @Nullable Map<String, String> headers,
        Payload payload,
        @Nullable Successor successor) {

    /**
     * A message that takes over when the live one ends.
     *
     * @param key key of the message; omitted if it has none
     * @param dueAt earliest time of its delivery
     * @param sentAt time of the send
     * @param headers names and values; omitted if the caller may not see them
     * @param payload stored payload
     */
    public record Successor(
            @Nullable String key,
            Instant dueAt,
            Instant sentAt,
            @Nullable Map<String, String> headers,
            Payload payload) {}

    /** Creates what a caller sees of a message. */
    public static MessageDetails of(MessageSnapshot message, Shown shown) {
        Envelope envelope = message.envelope();
        return new MessageDetails(
                message.topic(),
                message.id(),
                envelope.key(),
                message.state(),
                message.parked(),
                message.dueAt(),
                envelope.sentAt(),
                message.attempts(),
                message.postponements(),
                message.crashes(),
                message.holder(),
                message.leaseEnd(),
                message.lastFailure(),
                message.failures(),
                shown == Shown.SIZE ? null : envelope.headers(),
                Payload.of(envelope.payload(), shown),
                successor(message.successor(), shown));
    }

    private static @Nullable Successor successor(@Nullable MessageSnapshot message, Shown shown) {
        if (message == null) {
            return null;
        }
        Envelope envelope = message.envelope();
        return new Successor(
                envelope.key(),
                message.dueAt(),
                envelope.sentAt(),
                shown == Shown.SIZE ? null : envelope.headers(),
                Payload.of(envelope.payload(), shown));
    }

    /**
     * A page of messages.
     *
     * @param next value of the parameter page for the next page; omitted on the last page
     */
    public record Page(
            List<MessageDetails> messages, @Nullable String next) {

        /** Creates what a caller sees of a page. */
        public static Page of(List<MessageSnapshot> messages, @Nullable String next, Shown shown) {
            return new Page(
                    messages.stream()
                            .map(message -> MessageDetails.of(message, shown))
                            .toList(),
                    next);
        }
    }
}
