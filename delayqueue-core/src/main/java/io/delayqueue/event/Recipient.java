package io.delayqueue.event;

import io.delayqueue.message.QueueKind;
import org.jspecify.annotations.Nullable;

/**
 * The listener or receiver of deliveries.
 *
 * @param topic the topic
 * @param kind the topic's messages, or notifications of its dead letters; the id of a notification is that of the
 *     dead letter
 * @param listener the listener's id; null for a receiver
 */
public record Recipient(
        String topic, QueueKind kind, @Nullable String listener) {

    /** Whether they are messages, and not dead-letter notifications. */
    public boolean takesMessages() {
        return kind == QueueKind.MESSAGES;
    }
}
