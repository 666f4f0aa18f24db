package io.delayqueue.store;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.Due;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.Shard;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The narrow contract between the engine and Redis: one verb, one script, one round trip. Thread-safe.
 *
 * <p>Every verb throws {@link io.delayqueue.redis.RedisCallException} when there is no answer, and
 * {@link TopicConflictException} when the shard is not what this process believes it to be; then nothing was written.
 *
 * <p>A shard that isn't there yet, or was flushed, is made on the way by {@link #send}, {@link #step} and
 * {@link #attendDeathsAsync}. To the other verbs it is an empty one, and stays as absent as it was.
 */
public interface MessageStore {

    /**
     * Stores messages, each or none of its own accord.
     *
     * @param messages 1 to 500, no two of one id
     * @return the results in the order of the messages
     */
    SendReply send(Shard shard, List<OutgoingMessage> messages);

    /** The same without blocking. */
    CompletableFuture<SendReply> sendAsync(Shard shard, List<OutgoingMessage> messages);

    /**
     * Claims, settles, renews and reclaims. A request that brought no answer is to be repeated as it is until there is
     * one, before the consumer's next step.
     */
    StepReply step(Shard shard, StepRequest request);

    /** The same without blocking. */
    CompletableFuture<StepReply> stepAsync(Shard shard, StepRequest request);

    /** Cancels a message, scheduled or leased. */
    CancelOutcome cancel(Shard shard, String id);

    /** Moves a scheduled message. */
    RescheduleOutcome reschedule(Shard shard, String id, Due due);

    /** Looks a live message up. One that nobody can read has all of it as payload, and the reason as its last failure. */
    Optional<MessageSnapshot> find(Shard shard, String id);

    /** Counts what stands where. */
    ShardCounts count(Shard shard);

    /** The same without blocking. */
    CompletableFuture<ShardCounts> countAsync(Shard shard);

    /** Reads dead letters. */
    List<DeadLetter> letters(Shard shard, LetterQuery query);

    /** Schedules the message of a dead letter anew. */
    ReplayOutcome replay(Shard shard, String letterId, Due due);

    /**
     * Removes dead letters.
     *
     * @return how many, at most 500; fewer than that when there are no more
     */
    int purge(Shard shard, Purge purge);

    /** From now on, leaves a notice of each death in the shard's lane of deaths. Doesn't block. */
    CompletableFuture<Void> attendDeathsAsync(Shard shard);
}
