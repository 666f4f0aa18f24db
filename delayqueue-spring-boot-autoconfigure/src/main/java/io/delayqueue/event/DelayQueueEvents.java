package io.delayqueue.event;

import io.delayqueue.message.DeathCause;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Listens to facts. A bean of this type is found by the auto-configuration. Each method does nothing by default.
 *
 * <p>Methods are called on the engine's, the senders' and the Redis client's threads, concurrently, after the fact: they
 * must be thread-safe and quick, and must not block. What they throw is logged and goes no further.
 *
 * <p>What happens to a delivery is told with its recipient: a listener of messages, a listener of dead letters, whose
 * deliveries are notices, or a receiver that pulls. A fact is told by the process in which it happened or was noticed,
 * and, where it is what became of an answer, once Redis has said so.
 */
public interface DelayQueueEvents {

    // ---- messages --------------------------------------------------------------------------------------------------

    /** Messages were stored by {@code send}: one, or all that shared a round trip. */
    default void sent(String topic, int count) {}

    /** A send was refused because its id is live. */
    default void duplicateRefused(String topic, String id) {}

    /** A send that waited for a commit was given up: the transaction stands, the message does not. */
    default void sendAfterCommitFailed(String topic, String id, Throwable cause) {}

    /** A message was cancelled. */
    default void cancelled(String topic, String id) {}

    /** A dead letter was replayed. */
    default void replayed(String topic, String letterId) {}

    /** Retention dropped dead letters. */
    default void lettersDropped(String topic, int count) {}

    // ---- deliveries ------------------------------------------------------------------------------------------------

    /**
     * A handler is about to start, or a receiver to get what it pulls.
     *
     * @param late now − due, by Redis' clock; never negative
     */
    default void started(Recipient recipient, String id, int attempt, Duration late) {}

    /**
     * A delivery ended well and its message is gone.
     *
     * @param handling from its start to its answer
     * @param sinceSent from its send until it was gone, its delay included, by Redis' clock
     */
    default void acknowledged(Recipient recipient, String id, int attempt, Duration handling, Duration sinceSent) {}

    /**
     * An attempt failed, or asked for it: the message is scheduled again.
     *
     * @param handling from its start to its answer
     */
    default void retried(Recipient recipient, String id, int attempt, Duration handling, Duration delay) {}

    /** An unstarted delivery was handed back; the attempt does not count. */
    default void released(Recipient recipient, String id) {}

    /**
     * A message went to the dead letters.
     *
     * @param recipient whose answer, or whose step, sent it there
     * @param handling from the last attempt's start to its answer; null when there was no answer here, as after an expiry
     */
    default void died(Recipient recipient, String id, DeathCause cause, @Nullable Duration handling) {}

    /**
     * A dead-letter listener failed for the last time; the letter stays, its notice is dropped.
     *
     * @param handling from the last attempt's start to its answer; null when there was no answer here
     */
    default void deathNoticeDropped(
            Recipient recipient, String letterId, Throwable cause, @Nullable Duration handling) {}

    /**
     * An answer came too late: the message was not live under its token. Nothing changed.
     *
     * @param handling from the attempt's start to its answer; null if it never started
     */
    default void gone(Recipient recipient, String id, @Nullable Duration handling) {}

    /** A lease was lost while its handler ran: the message may be delivered again. */
    default void leaseLost(Recipient recipient, String id, Instant leaseEnd) {}

    // ---- the engine ------------------------------------------------------------------------------------------------

    /**
     * A lease ran out and its message is scheduled again.
     *
     * @param recipient whose step took it back, which may be another one than held it
     */
    default void reclaimed(Recipient recipient, String id) {}

    /** A sweep found due messages that no signal had announced. */
    default void sweepFound(Recipient recipient, int count) {}

    /** A step failed and is tried again until it succeeds; {@code failing} is for how long steps have been failing. */
    default void stepFailed(String step, Throwable cause, Duration failing) {}

    /**
     * A call to Redis failed: Redis could not be reached, did not answer in time, or answered with an error.
     *
     * @param operation the script that was called, one of a few: send, step, cancel, heartbeat, …
     */
    default void redisFailed(String operation, Throwable cause) {}
}
