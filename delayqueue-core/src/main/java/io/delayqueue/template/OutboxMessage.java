package io.delayqueue.template;

import io.delayqueue.Internal;
import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.store.OutgoingMessage.Memory;

/**
 * A message that is ready to be sent, as an outbox stores it. It has passed the interceptors.
 *
 * @param id id of the message
 * @param due due time, or delay from the time at which the outbox stored the message
 * @param memory how Redis recognises a repeat of the send
 * @param envelope the message as Redis stores it; its times are not set
 */
@Internal
@SuppressWarnings("ArrayRecordComponent") // handed straight to the database
public record OutboxMessage(
        String topic,
        String id,
        Due due,
        OnDuplicate onDuplicate,
        Durability durability,
        Memory memory,
        byte[] envelope) {}
