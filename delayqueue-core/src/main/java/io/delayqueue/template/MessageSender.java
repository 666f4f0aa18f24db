package io.delayqueue.template;

import io.delayqueue.event.EventBus;
import io.delayqueue.message.Completions;
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
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Stores messages and returns the result of each. Never blocks or throws. If the topic was deleted and registered again
 * with another number of shards, messages are sent to their new shards. Thread-safe.
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

    /**
     * Stores messages with one script call. The future always completes normally.
     *
     * @param messages within the batch limits; no two with the same id
     */
    CompletableFuture<List<SendResult>> sendAsync(Shard shard, List<PendingMessage> messages) {
        Map<PendingMessage, SendResult> rejected = new HashMap<>();
        List<PendingMessage> written = new ArrayList<>(messages.size());
        List<OutgoingMessage> outgoing = new ArrayList<>(messages.size());
        for (PendingMessage message : messages) {
            try {
                outgoing.add(message.outgoing());
                written.add(message);
            } catch (RuntimeException e) {
                rejected.put(message, SendFailures.notStored(message, e));
            }
        }
        if (rejected.isEmpty()) {
            return store(shard, written, outgoing);
        }
        CompletableFuture<List<SendResult>> storing =
                written.isEmpty() ? CompletableFuture.completedFuture(List.of()) : store(shard, written, outgoing);
        return storing.thenApply(stored -> {
            Iterator<SendResult> next = stored.iterator();
            List<SendResult> results = new ArrayList<>(messages.size());
            for (PendingMessage message : messages) {
                SendResult own = rejected.get(message);
                results.add(own != null ? own : next.next());
            }
            return results;
        });
    }

    /**
     * Stores encoded messages with one script call. The future always completes normally.
     *
     * @param outgoing the encoded messages, in the order of the messages
     */
    CompletableFuture<List<SendResult>> store(
            Shard shard, List<PendingMessage> messages, List<OutgoingMessage> outgoing) {
        return attempt(shard, messages, outgoing).exceptionallyCompose(anew -> storeInNewShards(messages, outgoing));
    }

    /** Fails only with a {@link TopicRegisteredAnewException}. */
    private CompletableFuture<List<SendResult>> attempt(
            Shard shard, List<PendingMessage> messages, List<OutgoingMessage> outgoing) {
        CompletableFuture<SendReply> storing;
        try {
            storing = store.send(shard, outgoing);
        } catch (RuntimeException | Error e) { // the caller waits for the future
            storing = CompletableFuture.failedFuture(e);
        }
        return storing.thenApply(reply -> results(messages, reply)).exceptionallyCompose(failure -> {
            Throwable cause = Completions.cause(failure);
            return cause instanceof TopicRegisteredAnewException
                    ? CompletableFuture.failedFuture(cause)
                    : CompletableFuture.completedFuture(messages.stream()
                            .<SendResult>map(message -> SendFailures.of(message, cause))
                            .toList());
        });
    }

    /** Stores each message in its new shard. */
    private CompletableFuture<List<SendResult>> storeInNewShards(
            List<PendingMessage> messages, List<OutgoingMessage> outgoing) {
        List<CompletableFuture<SendResult>> stored = new ArrayList<>(messages.size());
        for (int i = 0; i < messages.size(); i++) {
            PendingMessage message = messages.get(i);
            OutgoingMessage own = outgoing.get(i);
            stored.add(topics.sendTo(
                            message.topic(), message.id(), shard -> attempt(shard, List.of(message), List.of(own)))
                    .handle((results, failure) ->
                            failure == null ? results.get(0) : SendFailures.notStored(message, failure)));
        }
        return CompletableFuture.allOf(stored.toArray(CompletableFuture[]::new))
                .thenApply(ended -> stored.stream().map(CompletableFuture::join).toList());
    }

    private List<SendResult> results(List<PendingMessage> messages, SendReply reply) {
        List<SendResult> results = new ArrayList<>(messages.size());
        int stored = 0;
        for (int i = 0; i < messages.size(); i++) {
            PendingMessage message = messages.get(i);
            SendReply.Result reported = reply.results().get(i);
            SendResult result = result(message, reported);
            results.add(result);
            if (result instanceof Accepted || result instanceof Replaced) {
                stored += message.stored(reported.repeated()) ? 1 : 0;
            } else if (result instanceof Duplicate) {
                events.publish(listener -> listener.duplicateRejected(result.topic(), result.id()));
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
