package io.delayqueue.metrics;

import io.delayqueue.Internal;
import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.Recipient;
import io.delayqueue.message.DeadLetterCause;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts and times the events of this process. The meters of a topic or listener are registered together, on the first
 * event or by {@link #expect}, and then found without a search in the registry. Thread-safe.
 */
@Internal
public final class EventMeters implements DelayQueueEvents {

    private final MeterRegistry registry;
    private final ConcurrentMap<String, TopicMeters> topics = new ConcurrentHashMap<>();
    private final ConcurrentMap<Recipient, DeliveryMeters> deliveries = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Counter> redisErrors = new ConcurrentHashMap<>();
    private final Counter tasksFailed;

    /** Creates meters in a registry. */
    public EventMeters(MeterRegistry registry) {
        this.registry = registry;
        this.tasksFailed = new MeterGroup(registry).counter(DelayQueueMeters.TASKS_FAILED);
    }

    /** Registers the meters of a listener, so that they exist with the value 0 before the first event. */
    void expect(Recipient recipient) {
        of(recipient);
        of(recipient.topic());
    }

    /** Removes the meters of a deleted topic. Later events register them again. */
    void forget(String topic) {
        topics.computeIfPresent(topic, (name, meters) -> {
            meters.remove();
            return null;
        });
        for (Recipient recipient : deliveries.keySet()) {
            if (recipient.topic().equals(topic)) {
                deliveries.computeIfPresent(recipient, (name, meters) -> {
                    meters.remove();
                    return null;
                });
            }
        }
    }

    private TopicMeters of(String topic) {
        TopicMeters known = topics.get(topic);
        return known != null ? known : topics.computeIfAbsent(topic, name -> new TopicMeters(registry, name));
    }

    private DeliveryMeters of(Recipient recipient) {
        DeliveryMeters known = deliveries.get(recipient);
        return known != null
                ? known
                : deliveries.computeIfAbsent(recipient, name -> new DeliveryMeters(registry, name));
    }

    @Override
    public void sent(String topic, int count) {
        of(topic).sent.increment(count);
    }

    @Override
    public void duplicateRejected(String topic, String id) {
        of(topic).duplicates.increment();
    }

    @Override
    public void sendAfterCommitFailed(String topic, String id, Throwable cause) {
        of(topic).unsent.increment();
    }

    @Override
    public void cancelled(String topic, String id) {
        of(topic).cancelled.increment();
    }

    @Override
    public void replayed(String topic, String deadLetterId) {
        of(topic).replayed.increment();
    }

    @Override
    public void deadLettersDropped(String topic, int count) {
        of(topic).deadLettersDropped.increment(count);
    }

    @Override
    public void started(Recipient recipient, String id, int attempt, Duration late) {
        of(recipient).lateness.record(late);
    }

    @Override
    public void acknowledged(Recipient recipient, String id, int attempt, Duration handling, Duration sinceSent) {
        of(recipient).acknowledged(handling, sinceSent);
    }

    @Override
    public void retried(Recipient recipient, String id, int attempt, Duration handling, Duration delay) {
        of(recipient).retried(handling);
    }

    @Override
    public void released(Recipient recipient, String id) {
        of(recipient).released.increment();
    }

    @Override
    public void deadLettered(Recipient recipient, String id, DeadLetterCause cause, @Nullable Duration handling) {
        of(recipient).deadLettered(handling);
    }

    @Override
    public void notificationDropped(
            Recipient recipient, String deadLetterId, Throwable cause, @Nullable Duration handling) {
        of(recipient.topic()).notificationsDropped.increment();
        of(recipient).deadLettered(handling);
    }

    @Override
    public void settlementRejected(Recipient recipient, String id, @Nullable Duration handling) {
        of(recipient).settlementRejected(handling);
    }

    @Override
    public void leaseLost(Recipient recipient, String id, Instant leaseEnd) {
        of(recipient).lost.increment();
    }

    @Override
    public void reclaimed(Recipient recipient, String id) {
        of(recipient).reclaimed.increment();
    }

    @Override
    public void sweepFound(Recipient recipient, int count) {
        of(recipient).sweepsFound.increment();
    }

    @Override
    public void taskFailed(String task, Throwable cause, Duration failing) {
        tasksFailed.increment();
    }

    @Override
    public void redisFailed(String operation, Throwable cause) {
        redisErrors
                .computeIfAbsent(
                        operation, name -> new MeterGroup(registry).counter(DelayQueueMeters.REDIS_ERRORS, name))
                .increment();
    }
}
