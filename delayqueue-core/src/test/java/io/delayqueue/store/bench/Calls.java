package io.delayqueue.store.bench;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.SendReply;
import java.util.List;

/** Calls of a store without durability, which wait for the reply. */
public final class Calls {

    private Calls() {}

    public static List<SendReply> send(MessageStore store, Shard shard, List<OutgoingMessage> messages) {
        return Await.result(store.send(shard, messages, Durability.NONE));
    }

    public static CancelOutcome cancel(MessageStore store, Shard shard, String id) {
        return Await.result(store.cancel(shard, id, Durability.NONE));
    }

    public static RescheduleOutcome reschedule(MessageStore store, Shard shard, String id, Due due) {
        return Await.result(store.reschedule(shard, id, due, Durability.NONE));
    }
}
