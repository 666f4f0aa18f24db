package io.delayqueue.template;

import io.delayqueue.event.EventBus;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Duplicate;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.MessagePreparer.Prepared;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends many messages with one script call per shard and batch. Shards are sent to concurrently. The batches of a shard
 * are sent one after another, which keeps their order. Never throws. Thread-safe.
 */
final class BatchSender {

    private final MessageSender sender;
    private final InterceptorChain chain;
    private final TopicRegistry topics;
    private final SendLimits limits;
    private final EventBus events;

    BatchSender(
            MessageSender sender, InterceptorChain chain, TopicRegistry topics, SendLimits limits, EventBus events) {
        this.sender = sender;
        this.chain = chain;
        this.topics = topics;
        this.limits = limits;
        this.events = events;
    }

    /** A message with its result. */
    private static final class Slot {
        private final PendingMessage message;
        private final CompletableFuture<SendResult> future = new CompletableFuture<>();
        private @Nullable SendResult result;

        Slot(PendingMessage message) {
            this.message = message;
        }

        SendResult result() {
            return Objects.requireNonNull(result);
        }
    }

    /** The messages that passed the interceptors. Thread-safe: interceptors may proceed on any thread. */
    private static final class Passed {
        private final List<Slot> slots = new ArrayList<>();
        private boolean closed;

        synchronized CompletableFuture<SendResult> add(PendingMessage message) {
            if (closed) {
                return CompletableFuture.completedFuture(message.notStored(
                        Reason.FAILED,
                        "an interceptor proceeded after its method had returned and the batch was sent;"
                                + " call proceed() before the method returns",
                        null));
            }
            Slot slot = new Slot(message);
            slots.add(slot);
            return slot.future;
        }

        synchronized List<Slot> close() {
            closed = true;
            return slots;
        }
    }

    /**
     * Passes each message through the interceptors and stores those that pass.
     *
     * @param storing stores messages and returns the results in their order
     * @return the results in the order of the messages
     */
    List<SendResult> send(List<Prepared> messages, Function<List<PendingMessage>, List<SendResult>> storing) {
        Passed passed = new Passed();
        List<CompletableFuture<SendResult>> results = new ArrayList<>(messages.size());
        for (Prepared prepared : messages) {
            PendingMessage message = prepared.message();
            results.add(
                    message == null
                            ? CompletableFuture.completedFuture(Objects.requireNonNull(prepared.failed()))
                            : chain.send(message, passed::add));
        }
        List<Slot> slots = passed.close();
        List<SendResult> stored =
                storing.apply(slots.stream().map(slot -> slot.message).toList());
        for (int i = 0; i < stored.size(); i++) {
            slots.get(i).future.complete(stored.get(i));
        }
        return results.stream().map(CompletableFuture::join).toList();
    }

    /** Stores messages that passed the interceptors. */
    List<SendResult> store(List<PendingMessage> messages) {
        List<Slot> slots = messages.stream().map(Slot::new).toList();
        Map<Shard, List<Slot>> byShard = byShard(slots);
        CompletableFuture<?>[] shards = byShard.entrySet().stream()
                .map(entry -> storeNext(entry.getKey(), entry.getValue()))
                .toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(shards).join();
        return slots.stream().map(Slot::result).toList();
    }

    /** Groups messages by shard. Sets the result of the messages that are not sent. */
    private Map<Shard, List<Slot>> byShard(List<Slot> slots) {
        Map<Shard, List<Slot>> byShard = new LinkedHashMap<>();
        Map<String, Set<String>> seen = new HashMap<>();
        RuntimeException noReply = null;
        for (Slot slot : slots) {
            PendingMessage message = slot.message;
            boolean isFirst = seen.computeIfAbsent(message.topic(), any -> new HashSet<>())
                    .add(message.id());
            if (!isFirst && message.rejectsDuplicate()) {
                slot.result = new Duplicate(message.topic(), message.id());
                events.publish(listener -> listener.duplicateRejected(message.topic(), message.id()));
                continue;
            }
            try {
                Shard shard = noReply == null
                        ? Await.call(() -> topics.shardOf(message.topic(), message.id()))
                        : topics.knownShardOf(message.topic(), message.id()).orElse(null);
                if (shard == null) {
                    slot.result = SendFailures.notTried(message, noReply);
                } else {
                    byShard.computeIfAbsent(shard, any -> new ArrayList<>()).add(slot);
                }
            } catch (RuntimeException e) {
                slot.result = SendFailures.notStored(message, e);
                noReply = e instanceof RedisCallException ? e : noReply;
            }
        }
        return byShard;
    }

    private CompletableFuture<Void> storeNext(Shard shard, List<Slot> slots) {
        if (slots.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        int length = batchLength(slots);
        List<Slot> rest = slots.subList(length, slots.size());
        List<PendingMessage> batch =
                slots.subList(0, length).stream().map(slot -> slot.message).toList();
        return sender.sendAsync(shard, batch).thenCompose(results -> {
            for (int i = 0; i < length; i++) {
                slots.get(i).result = results.get(i);
            }
            Optional<Throwable> noReply = results.stream()
                    .map(SendFailures::noReply)
                    .filter(Objects::nonNull)
                    .findFirst();
            if (noReply.isPresent()) {
                rest.forEach(slot -> slot.result = SendFailures.notTried(slot.message, noReply.get()));
                return CompletableFuture.completedFuture(null);
            }
            return storeNext(shard, rest);
        });
    }

    /**
     * Returns the length of the next batch. A script call takes only one message per id; a second one goes into the
     * next batch.
     */
    private int batchLength(List<Slot> slots) {
        Set<String> ids = new HashSet<>();
        long bytes = 0;
        int length = 0;
        while (length < slots.size() && length < limits.maxBatchElements()) {
            PendingMessage message = slots.get(length).message;
            bytes += message.bytes();
            if ((length > 0 && bytes > limits.maxBatchBytes()) || !ids.add(message.id())) {
                break;
            }
            length++;
        }
        return length;
    }
}
