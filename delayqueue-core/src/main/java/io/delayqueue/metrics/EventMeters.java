package io.delayqueue.metrics;

import io.delayqueue.Internal;
import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.Recipient;
import io.delayqueue.message.DeadLetterCause;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Counts and times the events of this process. The meters of a topic or listener are registered together, on the first
 * event or by {@link #expect}, and then found without a search in the registry. Thread-safe.
 */
@Internal
public final class EventMeters implements DelayQueueEvents {

    private static final String NO_LISTENER = "none";
    private static final String ACKNOWLEDGED = "acknowledged";
    private static final String RETRIED = "retried";
    private static final String DEAD = "dead";
    private static final String REJECTED = "rejected";
    /** The meters that count messages; a dead-letter notification is not a message. */
    private static final Set<DelayQueueMeters> OF_MESSAGES = EnumSet.of(
            DelayQueueMeters.MESSAGE_DURATION,
            DelayQueueMeters.MESSAGES_ACKNOWLEDGED,
            DelayQueueMeters.MESSAGES_RETRIED,
            DelayQueueMeters.MESSAGES_DEAD);

    private final MeterRegistry registry;
    private final ConcurrentMap<String, MeterGroup> topics = new ConcurrentHashMap<>();
    private final ConcurrentMap<Recipient, MeterGroup> deliveries = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, MeterGroup> operations = new ConcurrentHashMap<>();
    private final MeterGroup others;

    /** Creates meters in a registry. */
    public EventMeters(MeterRegistry registry) {
        this.registry = registry;
        this.others = new MeterGroup(registry);
        others.register(DelayQueueMeters.TASKS_FAILED);
    }

    /** Registers the meters of a listener, so that they exist with the value 0 before the first event. */
    void expect(Recipient recipient) {
        of(recipient);
        of(recipient.topic());
    }

    /** Removes the meters of a deleted topic. Later events register them again. */
    void forget(String topic) {
        remove(topics, topic);
        for (Recipient recipient : deliveries.keySet()) {
            if (recipient.topic().equals(topic)) {
                remove(deliveries, recipient);
            }
        }
    }

    private static <K> void remove(ConcurrentMap<K, MeterGroup> groups, K key) {
        groups.computeIfPresent(key, (name, group) -> {
            group.remove();
            return null;
        });
    }

    private MeterGroup of(String topic) {
        MeterGroup known = topics.get(topic);
        return known != null
                ? known
                : topics.computeIfAbsent(topic, name -> {
                    MeterGroup group = new MeterGroup(registry, topic);
                    eventMeters(DelayQueueMeters.Key.TOPIC).forEach(group::register);
                    return group;
                });
    }

    private MeterGroup of(Recipient recipient) {
        MeterGroup known = deliveries.get(recipient);
        return known != null
                ? known
                : deliveries.computeIfAbsent(recipient, name -> {
                    String listener = recipient.listener() == null ? NO_LISTENER : recipient.listener();
                    MeterGroup group = new MeterGroup(registry, recipient.topic(), listener);
                    eventMeters(DelayQueueMeters.Key.TOPIC, DelayQueueMeters.Key.LISTENER)
                            .filter(meter -> recipient.takesMessages() || !OF_MESSAGES.contains(meter))
                            .forEach(group::register);
                    List.of(ACKNOWLEDGED, RETRIED, DEAD, REJECTED)
                            .forEach(outcome -> group.timer(DelayQueueMeters.DELIVERY_HANDLING, outcome));
                    return group;
                });
    }

    /** The counters and timers that have the keys. */
    private static Stream<DelayQueueMeters> eventMeters(DelayQueueMeters.Key... keys) {
        return Arrays.stream(DelayQueueMeters.values())
                .filter(meter -> meter.getType() != Meter.Type.GAUGE && Arrays.equals(meter.getKeyNames(), keys));
    }

    @Override
    public void sent(String topic, int count) {
        of(topic).counter(DelayQueueMeters.MESSAGES_SENT).increment(count);
    }

    @Override
    public void duplicateRejected(String topic, String id) {
        of(topic).counter(DelayQueueMeters.MESSAGES_DUPLICATES).increment();
    }

    @Override
    public void sendAfterCommitFailed(String topic, String id, Throwable cause) {
        of(topic).counter(DelayQueueMeters.MESSAGES_UNSENT).increment();
    }

    @Override
    public void cancelled(String topic, String id) {
        of(topic).counter(DelayQueueMeters.MESSAGES_CANCELLED).increment();
    }

    @Override
    public void replayed(String topic, String deadLetterId) {
        of(topic).counter(DelayQueueMeters.MESSAGES_REPLAYED).increment();
    }

    @Override
    public void deadLettersDropped(String topic, int count) {
        of(topic).counter(DelayQueueMeters.DEAD_LETTERS_DROPPED).increment(count);
    }

    @Override
    public void started(Recipient recipient, String id, int attempt, Duration late) {
        of(recipient).timer(DelayQueueMeters.DELIVERY_LATENESS).record(late);
    }

    @Override
    public void acknowledged(Recipient recipient, String id, int attempt, Duration handling, Duration sinceSent) {
        MeterGroup group = of(recipient);
        group.timer(DelayQueueMeters.DELIVERY_HANDLING, ACKNOWLEDGED).record(handling);
        if (recipient.takesMessages()) {
            group.timer(DelayQueueMeters.MESSAGE_DURATION).record(sinceSent);
            group.counter(DelayQueueMeters.MESSAGES_ACKNOWLEDGED).increment();
        }
    }

    @Override
    public void retried(Recipient recipient, String id, int attempt, Duration handling, Duration delay) {
        MeterGroup group = of(recipient);
        group.timer(DelayQueueMeters.DELIVERY_HANDLING, RETRIED).record(handling);
        if (recipient.takesMessages()) {
            group.counter(DelayQueueMeters.MESSAGES_RETRIED).increment();
        }
    }

    @Override
    public void released(Recipient recipient, String id) {
        of(recipient).counter(DelayQueueMeters.DELIVERIES_RELEASED).increment();
    }

    @Override
    public void deadLettered(Recipient recipient, String id, DeadLetterCause cause, @Nullable Duration handling) {
        ended(recipient, DEAD, handling);
        if (recipient.takesMessages()) {
            of(recipient).counter(DelayQueueMeters.MESSAGES_DEAD).increment();
        }
    }

    @Override
    public void notificationDropped(
            Recipient recipient, String deadLetterId, Throwable cause, @Nullable Duration handling) {
        of(recipient.topic()).counter(DelayQueueMeters.NOTIFICATIONS_DROPPED).increment();
        ended(recipient, DEAD, handling);
    }

    @Override
    public void settlementRejected(Recipient recipient, String id, @Nullable Duration handling) {
        ended(recipient, REJECTED, handling);
        of(recipient).counter(DelayQueueMeters.SETTLEMENTS_REJECTED).increment();
    }

    private void ended(Recipient recipient, String outcome, @Nullable Duration handling) {
        if (handling != null) {
            of(recipient).timer(DelayQueueMeters.DELIVERY_HANDLING, outcome).record(handling);
        }
    }

    @Override
    public void leaseLost(Recipient recipient, String id, Instant leaseEnd) {
        of(recipient).counter(DelayQueueMeters.LEASES_LOST).increment();
    }

    @Override
    public void reclaimed(Recipient recipient, String id) {
        of(recipient).counter(DelayQueueMeters.LEASES_RECLAIMED).increment();
    }

    @Override
    public void sweepFound(Recipient recipient, int count) {
        of(recipient).counter(DelayQueueMeters.SWEEPS_FOUND).increment();
    }

    @Override
    public void taskFailed(String task, Throwable cause, Duration failing) {
        others.counter(DelayQueueMeters.TASKS_FAILED).increment();
    }

    @Override
    public void redisFailed(String operation, Throwable cause) {
        operations
                .computeIfAbsent(operation, name -> new MeterGroup(registry, name))
                .counter(DelayQueueMeters.REDIS_ERRORS)
                .increment();
    }
}
