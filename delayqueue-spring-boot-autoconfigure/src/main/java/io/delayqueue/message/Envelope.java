package io.delayqueue.message;

import java.time.Instant;
import java.util.Map;

/**
 * A message as it is stored.
 *
 * @param sentAt when the send script ran, by Redis' clock
 * @param dueAt when it was due by the last send, reschedule or replay; a retry doesn't move it
 * @param nonce by which a repeat of the send is recognised
 * @param limits what the message fixes for itself
 * @param headers in the order they were given
 * @param payload the payload's bytes; not copied, not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // copying up to a mebibyte per delivery would be the larger evil
public record Envelope(
        Instant sentAt,
        Instant dueAt,
        String nonce,
        MessageLimits limits,
        Map<String, String> headers,
        byte[] payload) {}
