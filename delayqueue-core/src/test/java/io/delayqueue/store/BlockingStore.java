package io.delayqueue.store;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.Due;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A store whose verbs may also be waited for. */
public record BlockingStore(MessageStore store) implements MessageStore {

    /** Waits for {@link #sendAsync}. */
    public SendReply send(Shard shard, List<OutgoingMessage> messages) {
        return Await.call(() -> store.sendAsync(shard, messages));
    }

    /** Waits for {@link #pollAsync}. */
    public PollReply poll(Shard shard, PollRequest request) {
        return Await.call(() -> store.pollAsync(shard, request));
    }

    /** Waits for {@link #cancelAsync}. */
    public CancelOutcome cancel(Shard shard, String id) {
        return Await.call(() -> store.cancelAsync(shard, id));
    }

    /** Waits for {@link #rescheduleAsync}. */
    public RescheduleOutcome reschedule(Shard shard, String id, Due due) {
        return Await.call(() -> store.rescheduleAsync(shard, id, due));
    }

    /** Waits for {@link #findAsync}. */
    public Optional<MessageSnapshot> find(Shard shard, String id) {
        return Await.call(() -> store.findAsync(shard, id));
    }

    /** Waits for {@link #countAsync}. */
    public ShardCounts count(Shard shard) {
        return Await.call(() -> store.countAsync(shard));
    }

    /** Waits for {@link #deadLettersAsync}. */
    public List<DeadLetter> deadLetters(Shard shard, DeadLetterQuery query) {
        return Await.call(() -> store.deadLettersAsync(shard, query));
    }

    /** Waits for {@link #replayAsync}. */
    public ReplayOutcome replay(Shard shard, String deadLetterId, Due due) {
        return Await.call(() -> store.replayAsync(shard, deadLetterId, due));
    }

    /** Waits for {@link #purgeAsync}. */
    public int purge(Shard shard, Purge purge) {
        return Await.call(() -> store.purgeAsync(shard, purge));
    }

    @Override
    public CompletableFuture<SendReply> sendAsync(Shard shard, List<OutgoingMessage> messages) {
        return store.sendAsync(shard, messages);
    }

    @Override
    public CompletableFuture<PollReply> pollAsync(Shard shard, PollRequest request) {
        return store.pollAsync(shard, request);
    }

    @Override
    public CompletableFuture<Optional<PollReply>> pollIfRegisteredAsync(Shard shard, PollRequest request) {
        return store.pollIfRegisteredAsync(shard, request);
    }

    @Override
    public CompletableFuture<CancelOutcome> cancelAsync(Shard shard, String id) {
        return store.cancelAsync(shard, id);
    }

    @Override
    public CompletableFuture<RescheduleOutcome> rescheduleAsync(Shard shard, String id, Due due) {
        return store.rescheduleAsync(shard, id, due);
    }

    @Override
    public CompletableFuture<Optional<MessageSnapshot>> findAsync(Shard shard, String id) {
        return store.findAsync(shard, id);
    }

    @Override
    public CompletableFuture<VersionedCancel> cancelUpToAsync(Shard shard, String id, long version, boolean claimed) {
        return store.cancelUpToAsync(shard, id, version, claimed);
    }

    @Override
    public CompletableFuture<VersionedCancel> versionAsync(Shard shard, String id) {
        return store.versionAsync(shard, id);
    }

    @Override
    public CompletableFuture<ShardCounts> countAsync(Shard shard) {
        return store.countAsync(shard);
    }

    @Override
    public CompletableFuture<List<DeadLetter>> deadLettersAsync(Shard shard, DeadLetterQuery query) {
        return store.deadLettersAsync(shard, query);
    }

    @Override
    public CompletableFuture<ReplayOutcome> replayAsync(Shard shard, String deadLetterId, Due due) {
        return store.replayAsync(shard, deadLetterId, due);
    }

    @Override
    public CompletableFuture<Integer> purgeAsync(Shard shard, Purge purge) {
        return store.purgeAsync(shard, purge);
    }

    @Override
    public CompletableFuture<Void> enableNotificationsAsync(Shard shard) {
        return store.enableNotificationsAsync(shard);
    }
}
