package io.delayqueue.message;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A live message at the moment it was read.
 *
 * @param topic the topic
 * @param id the id
 * @param state the state
 * @param parked whether it waits for another message of its key, as only in an ordered topic, see
 *     {@link DelayMessage.Builder#key}; the state of such a message is {@link MessageState#SCHEDULED} or
 *     {@link MessageState#READY}
 * @param dueAt the next due time; for a leased message, the due time at which it was claimed
 * @param attempts number of attempts so far, including the running one
 * @param postponements how often it was postponed
 * @param crashes number of leases that ended without a settlement since the last settlement
 * @param holder the consumer that holds the lease; null unless leased
 * @param leaseEnd when the lease ends unless it is renewed, by Redis' clock; null unless leased
 * @param lastFailure summary of the last attempt's failure; null if no attempt failed
 * @param failures the failed attempts, the newest first; the oldest are missing if all have more than 2,000 bytes
 * @param envelope the message as it was stored
 * @param successor the message that takes over when this one ends, see {@link OnDuplicate#AFTER_RUNNING}; null if there
 *     is none
 */
public record MessageSnapshot(
        String topic,
        String id,
        MessageState state,
        boolean parked,
        Instant dueAt,
        int attempts,
        int postponements,
        int crashes,
        @Nullable String holder,
        @Nullable Instant leaseEnd,
        @Nullable String lastFailure,
        List<Failure.Attempt> failures,
        Envelope envelope,
        @Nullable MessageSnapshot successor) {

    /**
     * A key of an ordered topic with parked messages that are due, at the moment it was read.
     *
     * @param key the key
     * @param parked number of its messages that wait for the head, due or not
     * @param oldestDue when the parked message that has waited longest was due
     * @param held whether the head holds the key until it ends or lets go, because it was claimed before; otherwise a
     *     message of the key that is due earlier comes first
     * @param head the message that is next or being handled; null if a call to Redis stopped before it was recorded
     */
    public record OrderedKey(
            String key,
            long parked,
            Instant oldestDue,
            boolean held,
            @Nullable MessageSnapshot head) {}
}
