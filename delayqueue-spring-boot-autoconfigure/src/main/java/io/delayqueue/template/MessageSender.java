package io.delayqueue.template;

import io.delayqueue.event.EventBus;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Accepted;
import io.delayqueue.message.SendResult.Duplicate;
import io.delayqueue.message.SendResult.Kept;
import io.delayqueue.message.SendResult.Replaced;
import io.delayqueue.message.Shard;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.script.TopicRegistry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Stores messages of one shard and tells what became of each; never throws. Thread-safe. */
final class MessageSender {

    private final MessageStore store;
    private final TopicRegistry topics;
    private final EventBus events;

    MessageSender(MessageStore store, TopicRegistry topics, EventBus events) {
        this.store = store;
        this.topics = topics;
        this.events = events;
    }

    /** Stores a message and waits. */
    SendResult send(PendingMessage message) {
        Shard shard;
        OutgoingMessage outgoing;
        try {
            outgoing = message.outgoing();
            shard = topics.shardOf(message.topic(), message.id());
        } catch (RuntimeException e) {
            return SendFailures.notStored(message, e);
        }
        try {
            return results(List.of(message), store.send(shard, List.of(outgoing)))
                    .get(0);
        } catch (RuntimeException e) {
            return SendFailures.of(message, e);
        }
    }

    /**
     * Stores messages by one script, without blocking; ends normally.
     *
     * @param messages within the batch limits, no two of one id
     */
    CompletableFuture<List<SendResult>> sendAsync(Shard shard, List<PendingMessage> messages) {
        Map<PendingMessage, SendResult> refused = new HashMap<>();
        List<PendingMessage> written = new ArrayList<>(messages.size());
        List<OutgoingMessage> outgoing = new ArrayList<>(messages.size());
        for (PendingMessage message : messages) {
            try {
                outgoing.add(message.outgoing());
                written.add(message);
            } catch (RuntimeException e) {
                refused.put(message, SendFailures.notStored(message, e));
            }
        }
        if (refused.isEmpty()) {
            return store(shard, written, outgoing);
        }
        CompletableFuture<List<SendResult>> storing =
                written.isEmpty() ? CompletableFuture.completedFuture(List.of()) : store(shard, written, outgoing);
        return storing.thenApply(stored -> {
            Iterator<SendResult> next = stored.iterator();
            List<SendResult> results = new ArrayList<>(messages.size());
            for (PendingMessage message : messages) {
                SendResult own = refused.get(message);
                results.add(own != null ? own : next.next());
            }
            return results;
        });
    }

    /**
     * The same with messages that are written already.
     *
     * @param outgoing the messages in their order
     */
    CompletableFuture<List<SendResult>> store(
            Shard shard, List<PendingMessage> messages, List<OutgoingMessage> outgoing) {
        CompletableFuture<SendReply> storing;
        try {
            storing = store.sendAsync(shard, outgoing);
        } catch (RuntimeException | Error e) { // whoever waits for the end must see it come
            storing = CompletableFuture.failedFuture(e);
        }
        return storing.thenApply(reply -> results(messages, reply))
                .exceptionally(failure -> messages.stream()
                        .<SendResult>map(message -> SendFailures.of(message, failure))
                        .toList());
    }

    private List<SendResult> results(List<PendingMessage> messages, SendReply reply) {
        List<SendResult> results = new ArrayList<>(messages.size());
        int stored = 0;
        for (int i = 0; i < messages.size(); i++) {
            SendResult result = result(messages.get(i), reply.results().get(i));
            results.add(result);
            if (result instanceof Accepted || result instanceof Replaced) {
                stored++;
            } else if (result instanceof Duplicate) {
                events.publish(listener -> listener.duplicateRefused(result.topic(), result.id()));
            }
        }
        if (stored > 0) {
            int count = stored;
            events.publish(listener -> listener.sent(messages.get(0).topic(), count));
        }
        return results;
    }

    private static SendResult result(PendingMessage message, SendReply.Result result) {
        String topic = message.topic();
        String id = message.id();
        return switch (result.outcome()) {
            case ACCEPTED -> new Accepted(topic, id, result.dueAt());
            case REPLACED -> new Replaced(topic, id, result.dueAt());
            case KEPT -> new Kept(topic, id);
            case DUPLICATE -> new Duplicate(topic, id);
        };
    }
}
