package io.delayqueue.template;

import io.delayqueue.Internal;
import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.SendResult.Failed;
import io.delayqueue.store.OutgoingMessage.Memory;

/**
 * A send or a cancel as an outbox stores it. A send is a message that is ready to be sent and has passed the interceptors.
 * A cancel has no due time, treatment of duplicates or envelope; its components have no meaning.
 *
 * @param kind what Redis is to do
 * @param id id of the message
 * @param due due time, or delay from the time at which the outbox stored the message
 * @param memory how Redis recognises a repeat of the send or cancel
 * @param envelope the message as Redis stores it; its times are not set
 */
@Internal
@SuppressWarnings("ArrayRecordComponent") // handed straight to the database
public record OutboxMessage(
        Kind kind,
        String topic,
        String id,
        Due due,
        OnDuplicate onDuplicate,
        Durability durability,
        Memory memory,
        byte[] envelope) {

    /** What Redis is to do. */
    public enum Kind {
        /** Store the message. */
        SEND,
        /** Cancel the live message of the id, if there is one. */
        CANCEL
    }

    private static final byte[] NO_ENVELOPE = {};

    /** Returns a cancel. */
    public static OutboxMessage cancel(String topic, String id, Durability durability, Memory memory) {
        return new OutboxMessage(Kind.CANCEL, topic, id, Due.NOW, OnDuplicate.REJECT, durability, memory, NO_ENVELOPE);
    }

    /** Whether it is a cancel. */
    public boolean isCancel() {
        return kind == Kind.CANCEL;
    }

    /** The exception of a failure of this send or cancel. */
    public DelayQueueException exception(Failed failed) {
        return isCancel() ? PendingCancel.exceptionOf(failed) : DelayQueueException.of(failed);
    }
}
