package io.delayqueue.template;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.Durability;
import io.delayqueue.message.Printable;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Accepted;
import io.delayqueue.message.SendResult.Failed;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.message.SendResult.Rejected;
import io.delayqueue.message.Shard;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.OutgoingMessage.Memory;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A cancel that is executed after a commit. It has the results of a send, because commits and outboxes treat both in the
 * same way: accepted if Redis has executed it, whether or not it found a message, else rejected. One thread at a time uses
 * it.
 */
final class PendingCancel implements CommitOperation {

    private final String topic;
    private final String id;
    private final Durability durability;
    private @Nullable Memory memory;
    private CompletableFuture<SendResult> result = new CompletableFuture<>();

    /**
     * Creates it.
     *
     * @param topic a valid topic
     * @param id a valid id
     * @param durability durability of the topic
     */
    PendingCancel(String topic, String id, Durability durability) {
        this.topic = topic;
        this.id = id;
        this.durability = durability;
    }

    /** Reads a cancel of an outbox. */
    static PendingCancel of(OutboxMessage stored) {
        PendingCancel cancel = new PendingCancel(stored.topic(), stored.id(), stored.durability());
        cancel.memory = stored.memory();
        return cancel;
    }

    /** The exception of a failed cancel. */
    static DelayQueueException exceptionOf(Failed failed) {
        String attempt = "Cancelling message " + Printable.of(failed.id()) + " in topic " + Printable.of(failed.topic())
                + " failed";
        return failed instanceof Rejected rejected
                ? DelayQueueException.of(attempt + ": " + rejected.detail(), rejected.cause())
                : DelayQueueException.of(attempt, null);
    }

    @Override
    public String topic() {
        return topic;
    }

    @Override
    public String id() {
        return id;
    }

    /** Executes the cancel in the shard of its id. */
    CompletableFuture<CancelOutcome> call(MessageStore store, Shard shard) {
        return memory == null ? store.cancel(shard, id, durability) : store.cancel(shard, id, memory, durability);
    }

    @Override
    public boolean hasNewId() {
        return false;
    }

    @Override
    public CompletableFuture<SendResult> result() {
        return result;
    }

    @Override
    public void repeat() {
        result = new CompletableFuture<>();
    }

    /**
     * Returns the cancel for an outbox. From now on each repeat is recognised as one, so that it does not cancel a message
     * that was sent after the first time. Its row may be executed by a commit and a relay at the same time.
     *
     * @param nonce used by no other cancel or send
     * @param time time for which Redis remembers sends. The cancel is remembered for twice this time, because a repeat after
     *     that would cancel a later message whose send is not remembered either, and is thus repeated too
     */
    OutboxMessage toOutbox(String nonce, Duration time) {
        Memory own = new Memory(nonce, time.multipliedBy(2));
        memory = own;
        return OutboxMessage.cancel(topic, id, durability, own);
    }

    /** Ends the cancel, because Redis has executed it. */
    void executed() {
        result.complete(new Accepted(topic, id, Instant.EPOCH));
    }

    /** Ends the cancel, because its call failed. */
    void failed(Throwable failure) {
        result.complete(SendFailures.of(this, failure));
    }

    @Override
    public Rejected notStored(Reason reason, String detail, @Nullable Throwable cause) {
        return new Rejected(topic, id, reason, detail, cause);
    }

    /** Interceptors do not see cancels. */
    @Override
    public void release(SendResult of) {}
}
