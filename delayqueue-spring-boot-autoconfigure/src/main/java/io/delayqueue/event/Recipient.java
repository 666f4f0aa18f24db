package io.delayqueue.event;

import io.delayqueue.message.Shard.Lane;
import org.jspecify.annotations.Nullable;

/**
 * Whom deliveries go to.
 *
 * @param topic the topic
 * @param lane whether they are its messages, or the notices of its deaths; the id of a notice is the dead letter's
 * @param listener the listener's id, or null for whoever pulls
 */
public record Recipient(String topic, Lane lane, @Nullable String listener) {

    /** Whether they are messages, and not notices of deaths. */
    public boolean takesMessages() {
        return lane == Lane.MESSAGES;
    }
}
