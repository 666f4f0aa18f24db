package io.delayqueue.message;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message as it is stored.
 *
 * @param sentAt when the send script ran, by Redis' clock. If an ordered topic moves the due time of a message without a delay,
 *     because that clock was set back, the moved due time
 * @param dueAt the due time that the last send, reschedule or replay set; a retry does not change it
 * @param nonce identifies repeats of the send
 * @param limits the limits that the message sets for itself
 * @param key the key; null if it has none
 * @param slot of a recurring message, when the occurrence is due unless it is rescheduled; null for any other message
 * @param headers in the order of the send
 * @param payload the payload's bytes; not copied, must not be changed
 */
@SuppressWarnings("ArrayRecordComponent") // a copy would cost up to 1 MiB per delivery
public record Envelope(
        Instant sentAt,
        Instant dueAt,
        String nonce,
        MessageLimits limits,
        @Nullable String key,
        @Nullable Instant slot,
        Map<String, String> headers,
        byte[] payload) {

    /**
     * Identifies the send, together with topic and id. A nonce belongs to one send, but a version may be sent again after
     * its message was handled, so the time of the send distinguishes versions. Occurrences of a recurring message have
     * different slots.
     */
    public String sendId() {
        if (slot != null) {
            return nonce + "." + slot.toEpochMilli();
        }
        return Versions.isVersion(nonce) ? nonce + "." + sentAt.toEpochMilli() : nonce;
    }
}
