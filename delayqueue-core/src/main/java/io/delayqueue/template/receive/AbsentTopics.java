package io.delayqueue.template.receive;

import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.message.Completions;
import io.delayqueue.redis.SignalSource.SignalListener;
import io.delayqueue.redis.SignalSource.Subscription;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Watches unregistered topics for which receivers wait. The signal of the first send shows that a topic is registered.
 * If signals are lost, a listing of all topics finds it. Thread-safe.
 */
final class AbsentTopics implements PeriodicTask {

    private static final Duration IDLE = Duration.ofDays(1);
    private static final String ABSENT_TOPICS = "absent topics";

    private final ReceiverContext context;
    private final Map<String, ReceiverTopic> waiting = new HashMap<>();
    private @Nullable TaskHandle handle;
    /** Whether the next run is the first of a watch. It lists nothing: the receiver has just looked up the topic. */
    private boolean firstRun;

    private volatile boolean listing;
    private @Nullable Long failingSince;

    AbsentTopics(ReceiverContext context) {
        this.context = context;
    }

    /** Watches the topic of waiting receivers until the subscription is closed. */
    Subscription await(String topic, ReceiverTopic receivers) {
        List<Subscription> subscriptions = context.topics.expectedShards(topic).stream()
                .map(shard -> context.signals.listenUnregistered(shard, new AppearanceListener(receivers)))
                .toList();
        synchronized (this) {
            waiting.put(topic, receivers);
            if (handle == null) {
                firstRun = true;
                handle = context.scheduler.schedule(ABSENT_TOPICS, this);
            }
        }
        return () -> {
            subscriptions.forEach(Subscription::close);
            end(topic, receivers);
        };
    }

    private synchronized void end(String topic, ReceiverTopic receivers) {
        waiting.remove(topic, receivers);
        if (waiting.isEmpty() && handle != null) {
            handle.cancel();
            handle = null;
        }
    }

    private final class AppearanceListener implements SignalListener {

        private final ReceiverTopic receivers;

        AppearanceListener(ReceiverTopic receivers) {
            this.receivers = receivers;
        }

        @Override
        public void headAt(long dueMillis) {
            receivers.appeared();
        }

        @Override
        public void dueMessagesLeft(String consumer) {
            receivers.appeared();
        }

        @Override
        public void resubscribed() {
            listNow();
        }
    }

    private synchronized void listNow() {
        if (handle != null) {
            firstRun = false;
            handle.wake();
        }
    }

    @Override
    public Duration run() {
        synchronized (this) {
            if (waiting.isEmpty()) {
                return IDLE;
            }
            if (firstRun || listing) {
                firstRun = false;
                return context.sweep();
            }
            listing = true;
        }
        CompletableFuture<?> unused = Completions.call(context.topics::topics).whenComplete(this::listed);
        return context.sweep();
    }

    /** Whether topics are being listed. A wait that times out meanwhile ends with the result of the listing. */
    boolean isListing() {
        return listing;
    }

    private synchronized Map<String, ReceiverTopic> waiting() {
        return Map.copyOf(waiting);
    }

    private void listed(@Nullable SortedSet<String> topics, @Nullable Throwable failure) {
        Throwable cause = failure == null ? null : Completions.cause(failure);
        Map<String, ReceiverTopic> watched;
        Duration failing;
        synchronized (this) {
            watched = Map.copyOf(waiting);
            long since = failingSince == null ? context.now() : failingSince;
            failingSince = cause == null ? null : since;
            failing = Duration.ofNanos(context.now() - since);
        }
        if (cause != null) {
            context.events.publish(events -> events.taskFailed(ABSENT_TOPICS, cause, failing));
        }
        watched.forEach((topic, receivers) -> {
            if (topics != null && topics.contains(topic)) {
                receivers.appeared();
            } else {
                receivers.notFound(cause);
            }
        });
        listing = false;
        // read again: a receiver that was added meanwhile may have timed out and wait for the end of the listing
        waiting().values().forEach(ReceiverTopic::listingEnded);
    }
}
