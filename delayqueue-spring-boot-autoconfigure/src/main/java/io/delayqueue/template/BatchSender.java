package io.delayqueue.template;

import io.delayqueue.event.EventBus;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Duplicate;
import io.delayqueue.message.Shard;
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
 * Sends many messages: one script per shard and batch, the shards side by side, the batches of a shard one after another,
 * so that they keep their order. Never throws. Thread-safe.
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

    /** A message and, in the end, what became of it. */
    private static final class Slot {
        private final PendingMessage message;
        private final CompletableFuture<SendResult> told = new CompletableFuture<>();
        private @Nullable SendResult result;

        Slot(PendingMessage message) {
            this.message = message;
        }

        SendResult result() {
            return Objects.requireNonNull(result);
        }
    }

    /** What the interceptors let pass while the batch is gathered. Thread-safe, for they may proceed on any thread. */
    private static final class Passed {
        private final List<Slot> slots = new ArrayList<>();
        private boolean closed;

        synchronized CompletableFuture<SendResult> add(PendingMessage message) {
            if (closed) {
                return CompletableFuture.completedFuture(message.refused(
                        "an interceptor proceeded after its method had returned, when the messages that are sent"
                                + " together with it were on their way; let it proceed within its method"));
            }
            Slot slot = new Slot(message);
            slots.add(slot);
            return slot.told;
        }

        synchronized List<Slot> close() {
            closed = true;
            return slots;
        }
    }

    /**
     * Leads each message through the interceptors and stores together what they let pass.
     *
     * @param storing gives the results in the order of its messages
     * @return the results in the order of the messages
     */
    List<SendResult> send(List<Prepared> messages, Function<List<PendingMessage>, List<SendResult>> storing) {
        Passed passed = new Passed();
        List<CompletableFuture<SendResult>> ends = new ArrayList<>(messages.size());
        for (Prepared prepared : messages) {
            PendingMessage message = prepared.message();
            ends.add(
                    message == null
                            ? CompletableFuture.completedFuture(Objects.requireNonNull(prepared.refused()))
                            : chain.send(message, passed::add));
        }
        List<Slot> slots = passed.close();
        List<SendResult> stored =
                storing.apply(slots.stream().map(slot -> slot.message).toList());
        for (int i = 0; i < stored.size(); i++) {
            slots.get(i).told.complete(stored.get(i));
        }
        return ends.stream().map(CompletableFuture::join).toList();
    }

    /** Stores messages that were led through the interceptors. */
    List<SendResult> store(List<PendingMessage> messages) {
        List<Slot> slots = messages.stream().map(Slot::new).toList();
        Map<Shard, List<Slot>> byShard = byShard(slots);
        CompletableFuture<?>[] shards = byShard.entrySet().stream()
                .map(entry -> storeNext(entry.getKey(), entry.getValue()))
                .toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(shards).join();
        return slots.stream().map(Slot::result).toList();
    }

    /** Those that need not be sent have their result afterwards; the others are given back. */
    private Map<Shard, List<Slot>> byShard(List<Slot> slots) {
        Map<Shard, List<Slot>> byShard = new LinkedHashMap<>();
        Map<String, Set<String>> seen = new HashMap<>();
        RuntimeException unanswered = null;
        for (Slot slot : slots) {
            PendingMessage message = slot.message;
            boolean isFirst = seen.computeIfAbsent(message.topic(), any -> new HashSet<>())
                    .add(message.id());
            if (!isFirst && message.refusesDuplicate()) {
                slot.result = new Duplicate(message.topic(), message.id());
                events.publish(listener -> listener.duplicateRefused(message.topic(), message.id()));
                continue;
            }
            try {
                Shard shard = unanswered == null
                        ? topics.shardOf(message.topic(), message.id())
                        : topics.knownShardOf(message.topic(), message.id()).orElse(null);
                if (shard == null) {
                    slot.result = SendFailures.notTried(message, unanswered);
                } else {
                    byShard.computeIfAbsent(shard, any -> new ArrayList<>()).add(slot);
                }
            } catch (RuntimeException e) {
                slot.result = SendFailures.notStored(message, e);
                unanswered = e instanceof RedisCallException ? e : unanswered;
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
            Optional<SendResult> unanswered =
                    results.stream().filter(SendFailures::isUnanswered).findFirst();
            if (unanswered.isPresent()) {
                Throwable cause = SendFailures.cause(unanswered.get());
                rest.forEach(slot -> slot.result = SendFailures.notTried(slot.message, cause));
                return CompletableFuture.completedFuture(null);
            }
            return storeNext(shard, rest);
        });
    }

    /** A script takes no two messages of one id, so that one that keeps or replaces another follows in the next. */
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
