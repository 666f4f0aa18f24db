package io.delayqueue.template;

import io.delayqueue.event.EventBus;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Duplicate;
import io.delayqueue.message.SendResult.Failed;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.store.script.TopicRegistry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Sends many messages in batches. Calls to different shards are concurrent. For each shard, two calls of half a batch
 * are in progress: while Redis executes one, the caller encodes the messages of the next. Never throws. Thread-safe.
 */
final class BatchSender {

    /** Why a message is rejected whose interceptor calls {@code proceed()} too late. */
    static final String PROCEEDED_LATE =
            "an interceptor proceeded after its method had returned and the batch was sent;"
                    + " call proceed() before the method returns";

    /** Concurrent calls to a shard. */
    static final int CONCURRENT_CALLS = 2;

    private final List<SendInterceptor> interceptors;
    private final SendLimits limits;
    private final TopicRegistry topics;
    private final EventBus events;
    private final Function<SendBatcher.Route, SendBatcher> newBatcher;

    /**
     * Creates the sender.
     *
     * @param newBatcher creates the batcher of a route for one send
     */
    BatchSender(
            List<SendInterceptor> interceptors,
            SendLimits limits,
            TopicRegistry topics,
            EventBus events,
            Function<SendBatcher.Route, SendBatcher> newBatcher) {
        this.interceptors = interceptors;
        this.limits = limits;
        this.topics = topics;
        this.events = events;
        this.newBatcher = newBatcher;
    }

    /** The messages that passed the interceptors. Thread-safe: interceptors may proceed on any thread. */
    private static final class Passed {
        private final Map<PendingMessage, CompletableFuture<SendResult>> results = new LinkedHashMap<>();
        private boolean closed;

        synchronized CompletableFuture<SendResult> add(PendingMessage message) {
            if (closed) {
                return CompletableFuture.completedFuture(message.notStored(Reason.FAILED, PROCEEDED_LATE, null));
            }
            return results.computeIfAbsent(message, any -> new CompletableFuture<>());
        }

        synchronized Map<PendingMessage, CompletableFuture<SendResult>> close() {
            closed = true;
            return results;
        }
    }

    /**
     * Passes each message through the interceptors and stores those that pass.
     *
     * @param storing stores messages; ends when all have their results
     * @return the results in the order of the messages
     */
    List<SendResult> send(List<PendingMessage> messages, Consumer<List<PendingMessage>> storing) {
        List<SendResult> results = new ArrayList<>(messages.size());
        if (interceptors.isEmpty()) {
            storing.accept(messages.stream()
                    .filter(message -> message.failed() == null)
                    .toList());
            for (PendingMessage message : messages) {
                Failed failed = message.failed();
                results.add(failed == null ? message.result().join() : failed);
            }
            return results;
        }
        Passed passed = new Passed();
        List<CompletableFuture<SendResult>> intercepted = new ArrayList<>(messages.size());
        for (PendingMessage message : messages) {
            intercepted.add(
                    message.failed() == null
                            ? message.pass(interceptors, limits, passed::add)
                            : CompletableFuture.completedFuture(message.failed()));
        }
        Map<PendingMessage, CompletableFuture<SendResult>> stored = passed.close();
        storing.accept(List.copyOf(stored.keySet()));
        stored.forEach((message, result) -> result.complete(message.result().join()));
        intercepted.forEach(result -> results.add(result.join()));
        return results;
    }

    /** Stores messages that passed the interceptors, and waits for their results. */
    void store(List<PendingMessage> messages) {
        messages.forEach(PendingMessage::begin);
        byRoute(messages).forEach((route, group) -> newBatcher.apply(route).submit(group));
        messages.forEach(message -> message.result().join());
    }

    /** Groups messages by route. Completes the results of the messages that are not sent. */
    private Map<SendBatcher.Route, List<PendingMessage>> byRoute(List<PendingMessage> messages) {
        Map<SendBatcher.Route, List<PendingMessage>> byRoute = new LinkedHashMap<>();
        Map<String, Set<String>> seen = new HashMap<>();
        Throwable noReply = null;
        for (PendingMessage message : messages) {
            String topic = message.topic();
            String id = message.id();
            boolean isFirst = message.hasNewId()
                    || seen.computeIfAbsent(topic, any -> new HashSet<>()).add(id);
            if (!isFirst && message.rejectsDuplicate()) {
                message.result().complete(new Duplicate(topic, id));
                events.publish(listener -> listener.duplicateRejected(topic, id));
                continue;
            }
            try {
                Shard shard = topics.knownShardOf(topic, id).orElse(null);
                if (shard == null && noReply == null) {
                    shard = Await.call(() -> topics.shardOf(topic, id));
                }
                if (shard == null) {
                    message.result().complete(SendFailures.notTried(message, noReply));
                } else {
                    byRoute.computeIfAbsent(message.route(shard), any -> new ArrayList<>())
                            .add(message);
                }
            } catch (RuntimeException e) {
                SendResult failed = SendFailures.notStored(message, e);
                message.result().complete(failed);
                noReply = SendFailures.noReply(failed);
            }
        }
        return byRoute;
    }
}
