package io.delayqueue.template;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.SendResult;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Sends messages, and cancels, reschedules and finds them by their id, from any process. Thread-safe.
 *
 * <p>When a send returns, the message is stored in Redis. Otherwise the send throws:
 *
 * <ul>
 *   <li>{@link MessageRejectedException}: the message is not stored; the exception contains the reason and a remedy
 *   <li>{@link DuplicateMessageException}: a message with this id is scheduled or being handled; nothing changed
 *   <li>{@link OutcomeUnknownException}: Redis did not reply, so the message may be stored. Send the message that the
 *       exception contains again: if it is stored, Redis recognises the repeat
 * </ul>
 *
 * <p>A message that is scheduled or being handled is <em>live</em>. A dead letter is not live and never blocks its id.
 * Redis' clock decides when a message is due, to the millisecond. Sends do not take part in a transaction of the
 * caller: a Redis {@code MULTI} does not contain them, and a database transaction does not delay them. Use
 * {@link #sendAfterCommit} to send and {@link #cancelAfterCommit} to cancel after a commit.
 *
 * <p>Single sends are batched per shard: while calls are in progress, further messages may wait and share the next round
 * trip. Each send has its own result. A send blocks its thread for about one command timeout at most.
 *
 * <p>{@code cancel}, {@code reschedule} and {@code find} treat an unknown topic as empty and do not register it.
 *
 * <p>Invalid arguments (null, a blank topic, a negative delay) throw an {@link IllegalArgumentException} at once, even
 * if the method returns a future.
 */
public interface DelayQueueOperations {

    /**
     * Sends a message that is due at once, with a generated id.
     *
     * @param topic 1 to 128 bytes in UTF-8, any characters
     * @param payload a {@code String}, a {@code byte[]}, or an object that the payload converter supports
     * @return {@link SendResult.Accepted}, which has the id and the due time
     * @throws MessageRejectedException if the message is not stored
     * @throws OutcomeUnknownException if the message may be stored
     */
    default SendResult.Success send(String topic, Object payload) {
        return send(DelayMessage.to(topic).payload(payload).build());
    }

    /**
     * Sends a message that is due after a delay, with a generated id.
     *
     * @param delay zero or more, at most the configured limit (10 years by default)
     * @see #send(String, Object)
     */
    default SendResult.Success send(String topic, Object payload, Duration delay) {
        return send(DelayMessage.to(topic).payload(payload).delay(delay).build());
    }

    /**
     * Sends a message that is due at a date, with a generated id.
     *
     * @param dueAt at most the configured limit (10 years by default) ahead; a date in the past means at once
     * @see #send(String, Object)
     */
    default SendResult.Success send(String topic, Object payload, Instant dueAt) {
        return send(DelayMessage.to(topic).payload(payload).dueAt(dueAt).build());
    }

    /**
     * Sends a message.
     *
     * @return {@link SendResult.Accepted}; if the id is live, {@link SendResult.Kept} or {@link SendResult.Replaced},
     *     depending on the message's {@code onDuplicate}
     * @throws MessageRejectedException if the message is not stored
     * @throws DuplicateMessageException if the id is live and the message's {@code onDuplicate} is {@code REJECT}, the
     *     default
     * @throws OutcomeUnknownException if the message may be stored
     */
    SendResult.Success send(DelayMessage message);

    /**
     * Sends like {@link #send(String, Object)}, but never blocks the caller, not even to connect. The payload is
     * converted before this method returns.
     *
     * <p>Messages with one id, or of one key, that a single thread sends by this method are stored in that order, if they
     * have the same durability. Other messages and operations may overtake a message whose future is not complete.
     * Messages that wait for Redis are held in memory without a limit, even if the request queue of the client has one.
     * Limit the number of open futures if messages can arrive faster than Redis stores them.
     *
     * @return fails with the exceptions of {@code send}; by default its dependents run on a thread of the Redis client
     *     and must not block
     */
    default CompletableFuture<SendResult.Success> sendAsync(String topic, Object payload) {
        return sendAsync(DelayMessage.to(topic).payload(payload).build());
    }

    /** Sends like {@link #send(String, Object, Duration)}, without blocking; see {@link #sendAsync(String, Object)}. */
    default CompletableFuture<SendResult.Success> sendAsync(String topic, Object payload, Duration delay) {
        return sendAsync(DelayMessage.to(topic).payload(payload).delay(delay).build());
    }

    /** Sends like {@link #send(String, Object, Instant)}, without blocking; see {@link #sendAsync(String, Object)}. */
    default CompletableFuture<SendResult.Success> sendAsync(String topic, Object payload, Instant dueAt) {
        return sendAsync(DelayMessage.to(topic).payload(payload).dueAt(dueAt).build());
    }

    /** Sends like {@link #send(DelayMessage)}, without blocking; see {@link #sendAsync(String, Object)}. */
    CompletableFuture<SendResult.Success> sendAsync(DelayMessage message);

    /**
     * Sends messages to any topics, in one or two concurrent calls per shard and batch, and in one if the topic has keys.
     * Messages of one key are stored in their order, if they have the same durability. The operation is not atomic: each
     * message is accepted or rejected by itself. If two messages have the same topic and id, the second one is a duplicate.
     *
     * @param messages any number, including 0
     * @return the results in the order of the messages
     * @throws BatchSendException if a message was not accepted; it contains all results
     */
    List<SendResult.Success> sendAll(Collection<DelayMessage> messages);

    /**
     * Sends a message after the commit of the caller's transaction. Without a transaction it sends at once, like
     * {@link #send(DelayMessage)}.
     *
     * <p>This method checks the message and converts its payload, so an invalid message fails the transaction. If the
     * transaction rolls back, nothing is sent. After the commit the messages of the transaction are sent together, in
     * their order. Sends are retried until they are accepted or time out
     * ({@code delayqueue.limits.after-commit-timeout}, 10 s by default); the committing thread waits.
     *
     * <p><strong>A failed send does not roll back the database change.</strong> If a message is not accepted in time,
     * the commit throws an exception, and {@link io.delayqueue.event.DelayQueueEvents#sendAfterCommitFailed} is
     * published. If the process terminates between the commit and the send, the message is lost. With the outbox of
     * {@code delayqueue-jdbc} the message is stored in the caller's transaction instead, and neither can happen.
     *
     * <p>A reactive transaction is not bound to a thread, and its commit is not awaited.
     *
     * @return the message's id; generated if the message has none
     * @throws MessageRejectedException if the message cannot be sent. The commit can also throw
     *     {@link DuplicateMessageException}, {@link OutcomeUnknownException} and, for more than one message,
     *     {@link BatchSendException}
     * @throws IllegalStateException if the thread has no transaction and is one of Reactor's that must not block, because
     *     a reactive transaction may be active there
     */
    String sendAfterCommit(DelayMessage message);

    /** Sends like {@link #sendAfterCommit(DelayMessage)}; due at once after the commit, with a generated id. */
    default String sendAfterCommit(String topic, Object payload) {
        return sendAfterCommit(DelayMessage.to(topic).payload(payload).build());
    }

    /**
     * Sends like {@link #sendAfterCommit(DelayMessage)}; due after a delay, with a generated id.
     *
     * @param delay counted from the commit; zero or more, at most the configured limit
     */
    default String sendAfterCommit(String topic, Object payload, Duration delay) {
        return sendAfterCommit(
                DelayMessage.to(topic).payload(payload).delay(delay).build());
    }

    /** Sends like {@link #sendAfterCommit(DelayMessage)}; due at a date, with a generated id. */
    default String sendAfterCommit(String topic, Object payload, Instant dueAt) {
        return sendAfterCommit(
                DelayMessage.to(topic).payload(payload).dueAt(dueAt).build());
    }

    /**
     * Cancels a live message. A claimed message loses its lease and is not retried. Its handler is not stopped, and a
     * handler that has not started may still start a moment later; see {@link CancelOutcome#CANCELLED_WHILE_HANDLED}.
     *
     * @throws DelayQueueUnavailableException if Redis did not reply; the call can be repeated
     */
    CancelOutcome cancel(String topic, String id);

    /**
     * Cancels like {@link #cancel(String, String)}, but keeps a live message if it or its successor has a greater
     * {@linkplain DelayMessage.Builder#version version}. The message then counts as not found. A message without a version
     * is cancelled.
     *
     * @param version 0 to {@link DelayMessage#MAX_VERSION}
     * @throws DelayQueueUnavailableException if Redis did not reply; the call can be repeated
     */
    CancelOutcome cancel(String topic, String id, long version);

    /**
     * Cancels like {@link #cancel(String, String)}, but never blocks the caller. A later call does not wait for this one
     * and may overtake it.
     *
     * @return fails with the exceptions of {@code cancel}; its dependents run where those of {@link
     *     #sendAsync(String, Object) sends} run
     */
    CompletableFuture<CancelOutcome> cancelAsync(String topic, String id);

    /** Cancels like {@link #cancel(String, String, long)}, without blocking; see {@link #cancelAsync(String, String)}. */
    CompletableFuture<CancelOutcome> cancelAsync(String topic, String id, long version);

    /**
     * Cancels a live message after the commit of the caller's transaction. Without a transaction it cancels at once, like
     * {@link #cancel(String, String)}.
     *
     * <p>If the transaction rolls back, nothing is cancelled. After the commit, the sends and cancels of an id are done in
     * the order of their calls in the transaction: a message that the transaction sent before is cancelled, and one that it
     * sends later is not. Retries, the time that the committing thread waits and the outbox are those of {@link
     * #sendAfterCommit(DelayMessage)}. With the outbox the cancel is done even if the process terminates after the commit,
     * but perhaps later. Until then, it also cancels a message of this id that is sent without the outbox.
     *
     * <p><strong>The outcome is not known to the caller.</strong> It makes no difference whether a message is live. A
     * message that is already being handled may go on, as with {@link CancelOutcome#CANCELLED_WHILE_HANDLED}, and a message
     * may be handled before the cancel is done, so its handler has to check whether it still applies. If the cancel is not
     * done in time, the commit throws an exception although the transaction is committed, and {@link
     * io.delayqueue.event.DelayQueueEvents#cancelAfterCommitFailed} is published.
     *
     * @throws DelayQueueUnavailableException from the commit, or without a transaction from this method, if Redis did not
     *     reply. If sends of the transaction failed too, their exception contains this one as suppressed
     * @throws IllegalStateException if the thread has no transaction and is one of Reactor's that must not block, because
     *     a reactive transaction may be active there
     */
    void cancelAfterCommit(String topic, String id);

    /**
     * Changes the due time of a scheduled message. Its attempts are kept.
     *
     * @param delay from now; zero or more, at most the configured limit
     * @throws DelayQueueUnavailableException if Redis did not reply; the call can be repeated
     */
    RescheduleOutcome reschedule(String topic, String id, Duration delay);

    /**
     * Changes the due time of a scheduled message. Its attempts are kept.
     *
     * @param dueAt at most the configured limit ahead; a date in the past means at once
     * @throws DelayQueueUnavailableException if Redis did not reply; the call can be repeated
     */
    RescheduleOutcome reschedule(String topic, String id, Instant dueAt);

    /**
     * Reschedules like {@link #reschedule(String, String, Duration)}, without blocking; see {@link
     * #cancelAsync(String, String)}.
     */
    CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Duration delay);

    /**
     * Reschedules like {@link #reschedule(String, String, Instant)}, without blocking; see {@link
     * #cancelAsync(String, String)}.
     */
    CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Instant dueAt);

    /**
     * Finds a live message. A message that cannot be decoded is returned with all stored bytes as its payload and with
     * the reason as its last failure.
     *
     * @return empty if no live message has this id
     * @throws DelayQueueUnavailableException if Redis did not reply
     */
    Optional<MessageSnapshot> find(String topic, String id);

    /** Finds like {@link #find(String, String)}, without blocking; see {@link #cancelAsync(String, String)}. */
    CompletableFuture<Optional<MessageSnapshot>> findAsync(String topic, String id);
}
