package io.delayqueue.event;

import io.delayqueue.message.DeadLetterCause;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Listens to events of the queue. The auto-configuration finds beans of this type. Each method does nothing by
 * default.
 *
 * <p>Methods are called after the event, concurrently, on threads of the engine, of senders and of the Redis client.
 * Implementations must be thread-safe, fast and must not block. Their exceptions are logged and have no other effect.
 *
 * <p>Events of deliveries name a recipient: a listener of messages, a listener of dead letters, whose deliveries are
 * notifications, or a receiver. The process in which an event happened or was detected publishes it. The event of a
 * settlement is published after the reply of Redis.
 */
public interface DelayQueueEvents {

    // ---- messages --------------------------------------------------------------------------------------------------

    /**
     * {@code send} stored messages: one message, or all messages of a shared round trip. Each message is reported
     * once. If the reply to its send was lost, it is reported when Redis replies to a repeat, by the process that
     * repeats the message of the {@code OutcomeUnknownException}.
     */
    default void sent(String topic, int count) {}

    /** A send was rejected because a message of its id is live. */
    default void duplicateRejected(String topic, String id) {}

    /** A send after a commit failed for the last time: the transaction is committed, the message may not be stored. */
    default void sendAfterCommitFailed(String topic, String id, Throwable cause) {}

    /**
     * A cancel after a commit failed for the last time: the transaction is committed, the message may not be cancelled.
     */
    default void cancelAfterCommitFailed(String topic, String id, Throwable cause) {}

    /** A message was cancelled. */
    default void cancelled(String topic, String id) {}

    /** A dead letter was replayed. */
    default void replayed(String topic, String deadLetterId) {}

    /** Retention removed dead letters. */
    default void deadLettersDropped(String topic, int count) {}

    /**
     * An action of an operator changed something, through the endpoint or on a dead letter or job through the HTTP API, or a
     * job was requested or ended. Each such action is also logged. Calls of {@code DelayQueueAdmin} are not reported, because
     * the application makes them.
     *
     * @param by name of the user or HTTP client that acted; empty if unknown
     * @param action what was done, such as {@code pause} or {@code request to move to orders}
     * @param topic the topic; empty if the action affects none
     * @param count number of affected messages, dead letters, listeners, topics or jobs
     */
    default void administered(String by, String action, String topic, long count) {}

    // ---- deliveries ------------------------------------------------------------------------------------------------

    /**
     * A handler is about to start, or a receiver is about to get a message.
     *
     * @param late time since the due time, by Redis' clock; never negative
     */
    default void started(Recipient recipient, String id, int attempt, Duration late) {}

    /**
     * A delivery was acknowledged and its message removed.
     *
     * @param handling from the start of the handler to the settlement
     * @param sinceSent from the send to the removal, delay included, by Redis' clock
     */
    default void acknowledged(Recipient recipient, String id, int attempt, Duration handling, Duration sinceSent) {}

    /**
     * A listener with {@code once} has found that a message is already handled. The delivery is acknowledged without a
     * call of the method.
     */
    default void duplicateSuppressed(Recipient recipient, String id) {}

    /**
     * A message was scheduled again because its attempt failed or requested a retry.
     *
     * @param handling from the start of the handler to the settlement
     * @param delay until the next attempt
     */
    default void retried(Recipient recipient, String id, int attempt, Duration handling, Duration delay) {}

    /**
     * A message was postponed. The attempt does not count.
     *
     * @param handling from the start of the handler to the settlement
     * @param delay until the next attempt
     */
    default void postponed(Recipient recipient, String id, int attempt, Duration handling, Duration delay) {}

    /**
     * A delivery was released because it had not started, or because a system that its handler needs is unavailable. The
     * attempt does not count.
     */
    default void released(Recipient recipient, String id) {}

    /**
     * A message was dead-lettered.
     *
     * @param recipient the recipient whose settlement or poll dead-lettered the message
     * @param handling from the start of the last attempt to its settlement; null if there was no settlement here, for
     *     example after an expiry
     */
    default void deadLettered(Recipient recipient, String id, DeadLetterCause cause, @Nullable Duration handling) {}

    /**
     * A dead-letter listener failed for the last time. The notification is dropped; the dead letter stays.
     *
     * @param handling from the start of the last attempt to its settlement; null if there was no settlement here
     */
    default void notificationDropped(
            Recipient recipient, String deadLetterId, Throwable cause, @Nullable Duration handling) {}

    /**
     * A settlement was rejected because the message was no longer leased with its token. Nothing changed.
     *
     * @param handling from the start of the attempt to the settlement; null if it never started
     */
    default void settlementRejected(Recipient recipient, String id, @Nullable Duration handling) {}

    /** A lease was lost while its handler ran. The message may be delivered again. */
    default void leaseLost(Recipient recipient, String id, Instant leaseEnd) {}

    // ---- the engine ------------------------------------------------------------------------------------------------

    /**
     * A lease ended and its message is scheduled again.
     *
     * @param recipient the recipient whose poll reclaimed the message; not necessarily the former holder
     */
    default void reclaimed(Recipient recipient, String id) {}

    /** A sweep found due messages that no signal had announced. */
    default void sweepFound(Recipient recipient, int count) {}

    /**
     * A task failed and is retried until it succeeds.
     *
     * @param failing how long tasks have been failing
     */
    default void taskFailed(String task, Throwable cause, Duration failing) {}

    /**
     * The relay of the outbox failed, because the database or Redis was unavailable. It tries again.
     *
     * @param failing how long it has been failing
     */
    default void outboxFailed(Throwable cause, Duration failing) {}

    /**
     * A call to Redis failed: Redis was unavailable, did not reply in time, or replied with an error.
     *
     * @param operation the script that was called: send, poll, cancel, heartbeat and a few others
     */
    default void redisFailed(String operation, Throwable cause) {}
}
