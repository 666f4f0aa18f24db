package io.delayqueue.event;

import io.delayqueue.message.DeathCause;
import java.time.Duration;
import java.time.Instant;

/**
 * Listens to facts. A bean of this type is found by the auto-configuration. Each method does nothing by default.
 *
 * <p>Methods are called on the engine's, the senders' and the Redis client's threads, concurrently, after the fact: they
 * must be thread-safe and quick, and must not block. What they throw is logged and goes no further.
 */
public interface DelayQueueEvents {

    /** Messages were stored by {@code send}: one, or all that shared a round trip. */
    default void sent(String topic, int count) {}

    /** A send was refused because its id is live. */
    default void duplicateRefused(String topic, String id) {}

    /** A send that waited for a commit was given up: the transaction stands, the message does not. */
    default void sendAfterCommitFailed(String topic, String id, Throwable cause) {}

    /** A message was cancelled. */
    default void cancelled(String topic, String id) {}

    /**
     * A handler is about to start.
     *
     * @param late started − due, estimated by Redis' clock; never negative
     */
    default void started(String topic, String listener, String id, int attempt, Duration late) {}

    /** A handler ended well and its message is gone. */
    default void acknowledged(String topic, String listener, String id, int attempt, Duration handling) {}

    /** An attempt failed, or asked for it: the message is scheduled again. */
    default void retried(String topic, String listener, String id, int attempt, Duration delay) {}

    /** An unstarted delivery was handed back; the attempt does not count. */
    default void released(String topic, String listener, String id) {}

    /** A message went to the dead letters, or, with a notice to a dead-letter listener, was dropped. */
    default void died(String topic, String id, DeathCause cause) {}

    /** A lease ran out and its message is scheduled again. */
    default void reclaimed(String topic, String id) {}

    /** An answer came too late: the message was not live under its token. Nothing changed. */
    default void gone(String topic, String id) {}

    /** A sweep found due messages that no signal had announced. */
    default void sweepFound(String topic, int count) {}

    /** A dead-letter listener failed for the last time; the letter stays, its notice is dropped. */
    default void deathNoticeDropped(String topic, String letterId, Throwable cause) {}

    /** Retention dropped dead letters. */
    default void lettersDropped(String topic, int count) {}

    /** A dead letter was replayed. */
    default void replayed(String topic, String letterId) {}

    /** A call to Redis failed; {@code sinceSuccess} is how long the caller has been without an answer. */
    default void redisFailed(String what, Throwable cause, Duration sinceSuccess) {}

    /** A lease was lost while its handler ran: the message may be delivered again. */
    default void leaseLost(String topic, String listener, String id, Instant leaseEnd) {}
}
