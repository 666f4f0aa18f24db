package io.delayqueue.store;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A store whose verbs may also be waited for. */
public record BlockingStore(MessageStore store) implements MessageStore {

    /** Waits for {@link #send}. */
    public List<SendReply> awaitSend(Shard shard, List<OutgoingMessage> messages) {
        return Await.call(() -> store.send(shard, messages));
    }

    /** Waits for {@link #poll}. */
    public PollReply awaitPoll(Shard shard, PollRequest request) {
        return Await.call(() -> store.poll(shard, request));
    }

    /** Waits for {@link #cancel}. */
    public CancelOutcome awaitCancel(Shard shard, String id) {
        return Await.call(() -> store.cancel(shard, id));
    }

    /** Waits for {@link #reschedule}. */
    public RescheduleOutcome awaitReschedule(Shard shard, String id, Due due) {
        return Await.call(() -> store.reschedule(shard, id, due));
    }

    /** Waits for {@link #find}. */
    public Optional<MessageSnapshot> awaitFind(Shard shard, String id) {
        return Await.call(() -> store.find(shard, id));
    }

    /** Waits for {@link #count}. */
    public ShardCounts awaitCount(Shard shard) {
        return Await.call(() -> store.count(shard));
    }

    /** Waits for {@link #deadLetters}. */
    public List<DeadLetter> awaitDeadLetters(Shard shard, DeadLetterQuery query) {
        return Await.call(() -> store.deadLetters(shard, query));
    }

    /** Waits for {@link #replay}. */
    public ReplayOutcome awaitReplay(Shard shard, String deadLetterId, Due due) {
        return Await.call(() -> store.replay(shard, List.of(deadLetterId), due)).get(0);
    }

    /** Waits for {@link #purge}. */
    public int awaitPurge(Shard shard, Purge purge) {
        return Await.call(() -> store.purge(shard, purge));
    }

    @Override
    public CompletableFuture<List<SendReply>> send(Shard shard, List<OutgoingMessage> messages, Durability durability) {
        return store.send(shard, messages, durability);
    }

    @Override
    public CompletableFuture<PollReply> poll(Shard shard, PollRequest request) {
        return store.poll(shard, request);
    }

    @Override
    public CompletableFuture<Optional<PollReply>> pollIfRegistered(
            Shard shard, PollRequest request, Durability durability) {
        return store.pollIfRegistered(shard, request, durability);
    }

    @Override
    public CompletableFuture<CancelOutcome> cancel(Shard shard, String id, Durability durability) {
        return store.cancel(shard, id, durability);
    }

    @Override
    public CompletableFuture<CancelOutcome> cancel(Shard shard, String id, Instant sentUntil) {
        return store.cancel(shard, id, sentUntil);
    }

    @Override
    public CompletableFuture<RescheduleOutcome> reschedule(Shard shard, String id, Due due, Durability durability) {
        return store.reschedule(shard, id, due, durability);
    }

    @Override
    public CompletableFuture<RescheduleOutcome> reschedule(Shard shard, String id, Due due, Instant sentUntil) {
        return store.reschedule(shard, id, due, sentUntil);
    }

    @Override
    public CompletableFuture<Optional<MessageSnapshot>> find(Shard shard, String id) {
        return store.find(shard, id);
    }

    @Override
    public CompletableFuture<VersionedCancel> cancelUpTo(Shard shard, String id, long version, boolean claimed) {
        return store.cancelUpTo(shard, id, version, claimed);
    }

    @Override
    public CompletableFuture<VersionedCancel> version(Shard shard, String id) {
        return store.version(shard, id);
    }

    @Override
    public CompletableFuture<ShardCounts> count(Shard shard) {
        return store.count(shard);
    }

    @Override
    public CompletableFuture<List<DeadLetter>> deadLetters(Shard shard, DeadLetterQuery query) {
        return store.deadLetters(shard, query);
    }

    @Override
    public CompletableFuture<List<ReplayOutcome>> replay(Shard shard, List<String> deadLetterIds, Due due) {
        return store.replay(shard, deadLetterIds, due);
    }

    @Override
    public CompletableFuture<Integer> purge(Shard shard, Purge purge) {
        return store.purge(shard, purge);
    }

    @Override
    public CompletableFuture<Void> markReviewed(Shard shard) {
        return store.markReviewed(shard);
    }

    @Override
    public CompletableFuture<Void> enableNotifications(Shard shard) {
        return store.enableNotifications(shard);
    }
}
