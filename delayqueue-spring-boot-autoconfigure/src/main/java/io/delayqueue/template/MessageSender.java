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
import io.delayqueue.store.TopicRegisteredAnewException;
import io.delayqueue.store.script.TopicRegistry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Stores messages and tells what became of each; never throws. What is for a shard of a topic that was registered anew
 * with another count goes to where it belongs by then, once. Thread-safe.
 */
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
        OutgoingMessage outgoing;
        Shard shard;
        try {
            outgoing = message.outgoing();
            shard = topics.shardOf(message.topic(), message.id());
        } catch (RuntimeException e) {
            return SendFailures.notStored(message, e);
        }
        try {
            return send(shard, message, outgoing);
        } catch (TopicRegisteredAnewException e) {
            return sendAnew(message, outgoing);
        } catch (RuntimeException e) {
            return SendFailures.of(message, e);
        }
    }

    private SendResult sendAnew(PendingMessage message, OutgoingMessage outgoing) {
        Shard shard;
        try {
            shard = topics.shardOf(message.topic(), message.id());
        } catch (RuntimeException e) {
            return SendFailures.notStored(message, e);
        }
        try {
            return send(shard, message, outgoing);
        } catch (RuntimeException e) {
            return SendFailures.of(message, e);
        }
    }

    private SendResult send(Shard shard, PendingMessage message, OutgoingMessage outgoing) {
        return results(List.of(message), store.send(shard, List.of(outgoing))).get(0);
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
        return attempt(shard, messages, outgoing)
                .exceptionallyCompose(failure -> SendFailures.unwrap(failure) instanceof TopicRegisteredAnewException
                        ? storeAnew(messages, outgoing)
                        : CompletableFuture.completedFuture(failed(messages, failure)));
    }

    private CompletableFuture<List<SendResult>> attempt(
            Shard shard, List<PendingMessage> messages, List<OutgoingMessage> outgoing) {
        CompletableFuture<SendReply> storing;
        try {
            storing = store.sendAsync(shard, outgoing);
        } catch (RuntimeException | Error e) { // whoever waits for the end must see it come
            storing = CompletableFuture.failedFuture(e);
        }
        return storing.thenApply(reply -> results(messages, reply));
    }

    private CompletableFuture<List<SendResult>> storeAnew(
            List<PendingMessage> messages, List<OutgoingMessage> outgoing) {
        String topic = messages.get(0).topic();
        return topics.shardsAsync(topic)
                .thenCompose(shards -> storeEachInItsShard(shards, messages, outgoing))
                .exceptionally(failure -> messages.stream()
                        .<SendResult>map(message -> SendFailures.notStored(message, failure))
                        .toList());
    }

    private CompletableFuture<List<SendResult>> storeEachInItsShard(
            List<Shard> shards, List<PendingMessage> messages, List<OutgoingMessage> outgoing) {
        Map<Shard, List<Integer>> places = new LinkedHashMap<>();
        for (int i = 0; i < messages.size(); i++) {
            Shard shard = shards.get(Shard.indexOf(messages.get(i).id(), shards.size()));
            places.computeIfAbsent(shard, any -> new ArrayList<>()).add(i);
        }
        SendResult[] results = new SendResult[messages.size()];
        CompletableFuture<?>[] calls = places.entrySet().stream()
                .map(entry -> {
                    List<Integer> own = entry.getValue();
                    List<PendingMessage> pending =
                            own.stream().map(messages::get).toList();
                    return attempt(
                                    entry.getKey(),
                                    pending,
                                    own.stream().map(outgoing::get).toList())
                            .exceptionally(failure -> failed(pending, failure))
                            .thenAccept(told -> {
                                for (int i = 0; i < own.size(); i++) {
                                    results[own.get(i)] = told.get(i);
                                }
                            });
                })
                .toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(calls).thenApply(ended -> List.of(results));
    }

    private static List<SendResult> failed(List<PendingMessage> messages, Throwable failure) {
        return messages.stream()
                .<SendResult>map(message -> SendFailures.of(message, failure))
                .toList();
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
