package io.delayqueue.store;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.Shard;
import io.delayqueue.store.OutgoingMessage.Memory;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The contract between the engine and Redis. Each method runs one script in one round trip. No method blocks; blocking
 * callers wait for the future with {@link io.delayqueue.redis.Await}. Thread-safe.
 *
 * <p>Futures fail with a {@link io.delayqueue.redis.RedisCallException} if the script has no reply, and with a
 * {@link TopicConflictException} if the shard has another shard count or format than this process expects. In the
 * latter case nothing was written. If the {@link Durability} that a call asks for is not confirmed, the reply to a send or
 * poll says so, and the other calls fail.
 *
 * <p>{@link #send}, {@link #poll} and {@link #enableNotifications} create a shard that does not exist or
 * was flushed. The other methods treat it as an empty shard and do not create it.
 */
public interface MessageStore {

    /**
     * Stores messages. Each message has a result of its own.
     *
     * @param messages 1 to 500 messages with different ids
     * @return the results in the order of the messages
     */
    CompletableFuture<List<SendReply>> send(Shard shard, List<OutgoingMessage> messages, Durability durability);

    /**
     * Claims, settles, renews and reclaims. If there is no reply, the consumer must repeat the same request until there
     * is one, before its next poll.
     *
     * @param register whether to register the topic if it is not registered; otherwise the poll does nothing then
     * @return the reply; empty if the topic is not registered
     */
    CompletableFuture<Optional<PollReply>> poll(
            Shard shard, PollRequest request, boolean register, Durability durability);

    /** Cancels a message, scheduled or leased. */
    CompletableFuture<CancelOutcome> cancel(Shard shard, String id, Durability durability);

    /**
     * Cancels like {@link #cancel(Shard, String, Durability)}, but once: a repeat with the same nonce changes nothing and
     * finds nothing, also if a message with this id was sent meanwhile. Opens the shard of a registered topic, where the
     * cancel is remembered.
     *
     * @param memory how Redis recognises a repeat
     */
    CompletableFuture<CancelOutcome> cancel(Shard shard, String id, Memory memory, Durability durability);

    /** Cancels a message without durability. It counts as not found if it or its successor was sent after a time. */
    CompletableFuture<CancelOutcome> cancel(Shard shard, String id, Instant sentUntil);

    /** Moves a scheduled message. */
    CompletableFuture<RescheduleOutcome> reschedule(Shard shard, String id, Due due, Durability durability);

    /** Moves a scheduled message without durability. A message that was sent after a time counts as not found. */
    CompletableFuture<RescheduleOutcome> reschedule(Shard shard, String id, Due due, Instant sentUntil);

    /**
     * Finds a live message. If it is unreadable, its payload is the whole stored message and its last failure is the
     * reason.
     */
    CompletableFuture<Optional<MessageSnapshot>> find(Shard shard, String id);

    /**
     * Cancels a message, scheduled or leased, unless it or its successor has a greater version. A message without a
     * version is cancelled.
     *
     * @param version 0 to {@link io.delayqueue.message.DelayMessage#MAX_VERSION}
     * @param handled whether to end the message only if it was handled since it was sent; its successor then takes over,
     *     whatever its version
     */
    CompletableFuture<VersionedCancel> cancelUpTo(
            Shard shard, String id, long version, boolean handled, Durability durability);

    /** Reads whether a message is live, and the greater version of it and its successor. Changes nothing. */
    CompletableFuture<VersionedCancel> version(Shard shard, String id);

    /** Counts the messages of a shard by state. */
    CompletableFuture<ShardCounts> count(Shard shard);

    /** Reads dead letters. */
    CompletableFuture<List<DeadLetter>> deadLetters(Shard shard, DeadLetterQuery query);

    /**
     * Schedules the messages of dead letters again and removes the dead letters.
     *
     * @param deadLetterIds at most 500
     * @return the outcomes in the order of the ids
     */
    CompletableFuture<List<ReplayOutcome>> replay(Shard shard, List<String> deadLetterIds, Due due);

    /**
     * Removes dead letters.
     *
     * @return number of removed dead letters, at most 500; fewer than 500 if no more match
     */
    CompletableFuture<Integer> purge(Shard shard, Purge purge);

    /** Marks all dead letters that exist as reviewed. */
    CompletableFuture<Void> markReviewed(Shard shard);

    /** From now on, stores a notification of each new dead letter in the shard's queue of notifications. */
    CompletableFuture<Void> enableNotifications(Shard shard);
}
