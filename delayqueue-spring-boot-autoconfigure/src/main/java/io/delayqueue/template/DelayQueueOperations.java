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
 * Sends messages, and cancels, moves and finds them by their id, from any process. Thread-safe.
 *
 * <p>A send that returns has its message in Redis. One that was not accepted throws, and what it throws says what is
 * known:
 *
 * <ul>
 *   <li>{@link MessageRefusedException}: not stored; the reason says why and what to do
 *   <li>{@link DuplicateMessageException}: a message of that id is scheduled or being handled; nothing changed
 *   <li>{@link OutcomeUnknownException}: Redis did not answer; nobody knows. It carries the message, and sending that one
 *       again is safe: if the first send did arrive, the second is recognised as its repeat
 * </ul>
 *
 * <p>A message that is scheduled or being handled is <em>live</em>; dead letters are not, and never block an id. Times
 * are judged by Redis' clock, to the millisecond. Nothing takes part in a transaction of the caller: neither in a Redis
 * {@code MULTI} (it is sent at once, outside it) nor in a database's, unless asked for by {@link #sendAfterCommit}.
 *
 * <p>A single send to a topic goes at once if no other one is under way; those that come meanwhile wait for its end, and
 * share the next round trip. Each has a result of its own. A send blocks its thread for about one command time-out at
 * most.
 *
 * <p>To cancel, move and find, a topic that nobody uses is an empty one; they make Redis keep nothing of it.
 *
 * <p>Arguments from which no message can be built (a blank topic, a negative delay) fail with an
 * {@link IllegalArgumentException}, at once also where a future is returned.
 */
public interface DelayQueueOperations {

    /**
     * Sends a message that is due at once, under a generated id.
     *
     * @param topic 1 to 128 bytes of UTF-8, any characters
     * @param payload a {@code String}, a {@code byte[]}, or anything the payload converter takes
     * @return what was stored
     * @throws MessageRefusedException if it was not stored
     * @throws OutcomeUnknownException if nobody knows
     */
    SendResult.Success send(String topic, Object payload);

    /**
     * Sends a message that is due after a delay, under a generated id.
     *
     * @param delay zero or more, at most the configured limit (10 years by default)
     * @see #send(String, Object)
     */
    SendResult.Success send(String topic, Object payload, Duration delay);

    /**
     * Sends a message that is due at a date, under a generated id.
     *
     * @param dueAt a date that has passed means at once; at most the configured limit (10 years by default) ahead
     * @see #send(String, Object)
     */
    SendResult.Success send(String topic, Object payload, Instant dueAt);

    /**
     * Sends a message.
     *
     * @return {@link SendResult.Accepted}, or what the message asked for if its id is live
     * @throws MessageRefusedException if it was not stored
     * @throws DuplicateMessageException if its id is live and the message doesn't say what to do then
     * @throws OutcomeUnknownException if nobody knows
     */
    SendResult.Success send(DelayMessage message);

    /**
     * Sends as {@link #send(String, Object)} does, without ever blocking the caller, not even to connect. The payload is
     * converted before this returns.
     *
     * <p>Messages of one id are stored in the order in which one thread sends them; others, and other operations, may
     * overtake one whose future has not ended. What waits for Redis is held in memory without a bound, also where the client's request queue
     * has one: bound the open futures if messages may come faster than Redis takes them.
     *
     * @return fails with the exceptions of {@code send}; its dependents run on a thread of the Redis client and must not
     *     block it
     */
    CompletableFuture<SendResult.Success> sendAsync(String topic, Object payload);

    /** Sends as {@link #send(String, Object, Duration)} does, in the way of {@link #sendAsync(String, Object)}. */
    CompletableFuture<SendResult.Success> sendAsync(String topic, Object payload, Duration delay);

    /** Sends as {@link #send(String, Object, Instant)} does, in the way of {@link #sendAsync(String, Object)}. */
    CompletableFuture<SendResult.Success> sendAsync(String topic, Object payload, Instant dueAt);

    /** Sends as {@link #send(DelayMessage)} does, in the way of {@link #sendAsync(String, Object)}. */
    CompletableFuture<SendResult.Success> sendAsync(DelayMessage message);

    /**
     * Sends many messages, of any topics, in one round trip per shard and batch. Not atomic: each message is stored or
     * not of its own accord. Of two with one topic and id, the later one is a duplicate.
     *
     * @param messages any number, none included
     * @return the results in the order of the messages
     * @throws BatchSendException if any was not accepted; it carries every result
     */
    List<SendResult.Success> sendAll(Collection<DelayMessage> messages);

    /**
     * Sends a message once the caller's transaction has committed; without a transaction, at once as
     * {@link #send(DelayMessage)} does.
     *
     * <p>The message is checked and its payload converted at the call, so that what can't be sent fails the transaction.
     * Nothing is sent if the transaction rolls back. After the commit the messages of the transaction go out together,
     * in their order, and are repeated until they are accepted or a time is over ({@code
     * delayqueue.limits.after-commit-timeout}, 10 s by default); the committing thread waits for it.
     *
     * <p><strong>The database change stands whatever happens here.</strong> If a message is not accepted in that time, an
     * exception reaches whoever committed, and {@link io.delayqueue.event.DelayQueueEvents#sendAfterCommitFailed} is
     * published for it. A process that dies between the commit and the send loses the message.
     *
     * @return the message's id, generated if it had none
     * @throws MessageRefusedException if it can't be sent; from the commit also {@link DuplicateMessageException},
     *     {@link OutcomeUnknownException} and, for more than one message, {@link BatchSendException}
     */
    String sendAfterCommit(DelayMessage message);

    /** As {@link #sendAfterCommit(DelayMessage)}, due at once after the commit, under a generated id. */
    String sendAfterCommit(String topic, Object payload);

    /**
     * As {@link #sendAfterCommit(DelayMessage)}, under a generated id.
     *
     * @param delay counted from the commit: zero or more, at most the configured limit
     */
    String sendAfterCommit(String topic, Object payload, Duration delay);

    /** As {@link #sendAfterCommit(DelayMessage)}, due at a date, under a generated id. */
    String sendAfterCommit(String topic, Object payload, Instant dueAt);

    /**
     * Withdraws a message. One that is being handled loses its lease: no retry follows, but a handler that runs isn't
     * stopped.
     *
     * @throws DelayQueueUnavailableException if there was no answer; it may be repeated
     */
    CancelOutcome cancel(String topic, String id);

    /**
     * Moves a scheduled message; attempts made so far are kept.
     *
     * @param delay from now; zero or more, at most the configured limit
     * @throws DelayQueueUnavailableException if there was no answer; it may be repeated
     */
    RescheduleOutcome reschedule(String topic, String id, Duration delay);

    /**
     * Moves a scheduled message; attempts made so far are kept.
     *
     * @param dueAt a date that has passed means at once; at most the configured limit ahead
     * @throws DelayQueueUnavailableException if there was no answer; it may be repeated
     */
    RescheduleOutcome reschedule(String topic, String id, Instant dueAt);

    /**
     * Looks a live message up. One that nobody can read is there with all of it as payload, and the reason as its last
     * failure.
     *
     * @return empty if it was never sent, or is acknowledged, cancelled or dead
     * @throws DelayQueueUnavailableException if there was no answer
     */
    Optional<MessageSnapshot> find(String topic, String id);
}
