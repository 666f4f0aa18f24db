package io.delayqueue.store;

import io.delayqueue.message.Envelope;
import org.jspecify.annotations.Nullable;

/**
 * A claimed message.
 *
 * @param id its id
 * @param token the lease's token
 * @param dueMillis the due time it was claimed at, ms since 1970
 * @param attempt which attempt this is, from 1
 * @param lastFailure the last attempt's failure in short
 * @param stored what is stored of it; not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // straight from the client library
public record Claim(
        String id,
        String token,
        long dueMillis,
        int attempt,
        @Nullable String lastFailure,
        byte[] stored) {

    /** Whether the message fixes limits for itself, told without reading it; a stranger's may seem to. */
    public boolean fixesLimits() {
        return EnvelopeFormat.fixesLimits(stored);
    }

    /**
     * Reads what is stored.
     *
     * @throws UnreadableMessageException if somebody else wrote it
     */
    public Envelope envelope() {
        return EnvelopeFormat.read(stored);
    }
}
