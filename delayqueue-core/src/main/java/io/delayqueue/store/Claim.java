package io.delayqueue.store;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Envelope;
import io.delayqueue.message.Failure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A claimed message.
 *
 * @param id id of the message
 * @param token token of the lease
 * @param dueMillis due time for which it was claimed, ms since 1970
 * @param attempt number of the attempt, from 1
 * @param postponements how often it was postponed
 * @param crashes number of leases that ended without a settlement since the last settlement
 * @param isolated whether it is to be handled in isolation
 * @param lastFailure summary of the last attempt's failure; null if there was none
 * @param stored the stored message; must not be changed
 */
@SuppressWarnings("ArrayRecordComponent") // straight from the client library
public record Claim(
        String id,
        String token,
        long dueMillis,
        int attempt,
        int postponements,
        int crashes,
        boolean isolated,
        @Nullable String lastFailure,
        byte[] stored) {

    /** Whether the message has limits of its own. Checks one byte only, so that a foreign message may be misjudged. */
    public boolean hasOwnLimits() {
        return EnvelopeFormat.hasOwnLimits(stored);
    }

    /**
     * Reads the stored message.
     *
     * @throws UnreadableMessageException if it has another format, because a foreign client or a newer version wrote it
     */
    public Envelope envelope() {
        return EnvelopeFormat.read(stored);
    }

    /**
     * The settlement for a request to retry: dead-letters the message after its last permitted attempt. Redis does not
     * count, because the number of an attempt does not change while the lease is held.
     *
     * @param maxAttempts the permitted attempts: the message's own limit, or else the consumer's
     */
    public Settlement retryOrDeadLetter(Duration delay, Failure failure, int maxAttempts) {
        return attempt >= maxAttempts
                ? new Settlement.ToDeadLetters(id, token, DeadLetterCause.ATTEMPTS_SPENT, failure)
                : new Settlement.Retry(id, token, delay, failure);
    }

    /**
     * The settlement for a request to postpone: dead-letters the message after its last permitted postponement.
     *
     * @param permitted number of postponements that the message may have, 0 for unlimited
     * @param lettingOthersPass whether other messages of the key may be handled until then
     */
    public Settlement postpone(Duration delay, int permitted, boolean lettingOthersPass) {
        boolean isPermitted = permitted == 0 || postponements < permitted;
        Settlement.Postpone postpone =
                new Settlement.Postpone(id, token, delay, isPermitted ? 0 : permitted, lettingOthersPass);
        return isPermitted
                ? postpone
                : new Settlement.ToDeadLetters(id, token, DeadLetterCause.POSTPONEMENTS_SPENT, postpone.failure());
    }
}
