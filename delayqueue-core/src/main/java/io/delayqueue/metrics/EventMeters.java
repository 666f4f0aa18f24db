package io.delayqueue.metrics;

import static io.delayqueue.metrics.DelayQueueMeters.ACTIONS;
import static io.delayqueue.metrics.DelayQueueMeters.DEAD_LETTERS_DROPPED;
import static io.delayqueue.metrics.DelayQueueMeters.DELIVERIES_RELEASED;
import static io.delayqueue.metrics.DelayQueueMeters.DELIVERIES_SUPPRESSED;
import static io.delayqueue.metrics.DelayQueueMeters.DELIVERY_HANDLING;
import static io.delayqueue.metrics.DelayQueueMeters.DELIVERY_LATENESS;
import static io.delayqueue.metrics.DelayQueueMeters.Key.LISTENER;
import static io.delayqueue.metrics.DelayQueueMeters.Key.TOPIC;
import static io.delayqueue.metrics.DelayQueueMeters.LEASES_LOST;
import static io.delayqueue.metrics.DelayQueueMeters.LEASES_RECLAIMED;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_ACKNOWLEDGED;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_CANCELLED;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_DEAD;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_DUPLICATES;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_POSTPONED;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_REPLAYED;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_RETRIED;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_SENT;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_UNCANCELLED;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_UNSENT;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGE_DURATION;
import static io.delayqueue.metrics.DelayQueueMeters.NOTIFICATIONS_DROPPED;
import static io.delayqueue.metrics.DelayQueueMeters.OUTBOX_ERRORS;
import static io.delayqueue.metrics.DelayQueueMeters.REDIS_ERRORS;
import static io.delayqueue.metrics.DelayQueueMeters.SETTLEMENTS_REJECTED;
import static io.delayqueue.metrics.DelayQueueMeters.SWEEPS_FOUND;
import static io.delayqueue.metrics.DelayQueueMeters.TASKS_FAILED;

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
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Counts and times the events of this process. The meters of a topic or listener are registered together, on the first
 * event or by {@link #expect}, and then found without a search in the registry. A limited number of topics has meters of
 * their own; all others share meters. Thread-safe.
 */
@Internal
public final class EventMeters implements DelayQueueEvents {

    /** The topic and the listener of meters that several topics share. */
    static final String OTHER = "(other)";

    private static final Log log = LogFactory.getLog(EventMeters.class);
    private static final String NO_LISTENER = "none";
    private static final String ACKNOWLEDGED = "acknowledged";
    private static final String RETRIED = "retried";
    private static final String POSTPONED = "postponed";
    private static final String DEAD = "dead";
    private static final String REJECTED = "rejected";
    /** The meters that count messages; a dead-letter notification is not a message. */
    private static final Set<DelayQueueMeters> OF_MESSAGES =
            EnumSet.of(MESSAGE_DURATION, MESSAGES_ACKNOWLEDGED, MESSAGES_RETRIED, MESSAGES_POSTPONED, MESSAGES_DEAD);

    private final MeterRegistry registry;
    private final int maxTopics;
    /** The topics that have meters of their own. */
    private final Set<String> own = ConcurrentHashMap.newKeySet();
    /** Whether it was logged that topics share meters. */
    private boolean logged;

    private final ConcurrentMap<String, MeterGroup> topics = new ConcurrentHashMap<>();
    private final ConcurrentMap<Recipient, MeterGroup> deliveries = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, MeterGroup> operations = new ConcurrentHashMap<>();
    private final MeterGroup others;

    /**
     * Creates meters in a registry.
     *
     * @param maxTopics the maximum number of topics that have meters of their own
     */
    public EventMeters(MeterRegistry registry, int maxTopics) {
        this.registry = registry;
        this.maxTopics = maxTopics;
        this.logged = maxTopics == 0;
        this.others = new MeterGroup(registry);
        others.register(TASKS_FAILED);
        others.register(OUTBOX_ERRORS);
    }

    /**
     * The value of the tag {@code topic} of a topic's meters: its name, or {@link #OTHER}. The first topics have meters
     * of their own.
     */
    String tag(String topic) {
        return own.contains(topic) || admit(topic) ? topic : OTHER;
    }

    private synchronized boolean admit(String topic) {
        if (own.size() < maxTopics || own.contains(topic)) {
            own.add(topic);
            return true;
        }
        if (!logged) {
            logged = true;
            log.warn("There are more than " + maxTopics + " topics. Only as many have meters of their own; the others"
                    + " share meters with the topic " + OTHER
                    + ". To see each, increase delayqueue.metrics.max-topics.");
        }
        return false;
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
        own.remove(topic);
    }

    private static <K> void remove(ConcurrentMap<K, MeterGroup> groups, K key) {
        groups.computeIfPresent(key, (name, group) -> {
            group.remove();
            return null;
        });
    }

    private MeterGroup of(String topic) {
        MeterGroup known = topics.get(topic);
        return known != null ? known : topics.computeIfAbsent(tag(topic), this::register);
    }

    private MeterGroup register(String topic) {
        MeterGroup group = new MeterGroup(registry, topic);
        eventMeters(TOPIC).forEach(group::register);
        return group;
    }

    private MeterGroup of(Recipient recipient) {
        MeterGroup known = deliveries.get(recipient);
        return known != null ? known : deliveries.computeIfAbsent(tagged(recipient), this::register);
    }

    private Recipient tagged(Recipient recipient) {
        String topic = tag(recipient.topic());
        return topic.equals(OTHER) ? new Recipient(OTHER, recipient.kind(), OTHER) : recipient;
    }

    private MeterGroup register(Recipient recipient) {
        String listener = recipient.listener() == null ? NO_LISTENER : recipient.listener();
        MeterGroup group = new MeterGroup(registry, recipient.topic(), listener);
        eventMeters(TOPIC, LISTENER)
                .filter(meter -> recipient.takesMessages() || !OF_MESSAGES.contains(meter))
                .forEach(group::register);
        List.of(ACKNOWLEDGED, RETRIED, POSTPONED, DEAD, REJECTED)
                .forEach(outcome -> group.register(DELIVERY_HANDLING, outcome));
        return group;
    }

    /** The counters and timers that have the keys. */
    private static Stream<DelayQueueMeters> eventMeters(DelayQueueMeters.Key... keys) {
        return Arrays.stream(DelayQueueMeters.values())
                .filter(meter -> meter.getType() != Meter.Type.GAUGE && Arrays.equals(meter.getKeyNames(), keys));
    }

    @Override
    public void sent(String topic, int count) {
        of(topic).count(MESSAGES_SENT, count);
    }

    @Override
    public void duplicateRejected(String topic, String id) {
        of(topic).count(MESSAGES_DUPLICATES);
    }

    @Override
    public void sendAfterCommitFailed(String topic, String id, Throwable cause) {
        of(topic).count(MESSAGES_UNSENT);
    }

    @Override
    public void cancelAfterCommitFailed(String topic, String id, Throwable cause) {
        of(topic).count(MESSAGES_UNCANCELLED);
    }

    @Override
    public void cancelled(String topic, String id) {
        of(topic).count(MESSAGES_CANCELLED);
    }

    @Override
    public void replayed(String topic, String deadLetterId) {
        of(topic).count(MESSAGES_REPLAYED);
    }

    @Override
    public void administered(String by, String action, String topic, long count) {
        of(topic).count(ACTIONS);
    }

    @Override
    public void deadLettersDropped(String topic, int count) {
        of(topic).count(DEAD_LETTERS_DROPPED, count);
    }

    @Override
    public void started(Recipient recipient, String id, int attempt, Duration late) {
        of(recipient).time(DELIVERY_LATENESS, late);
    }

    @Override
    public void acknowledged(Recipient recipient, String id, int attempt, Duration handling, Duration sinceSent) {
        MeterGroup group = of(recipient);
        group.time(DELIVERY_HANDLING, ACKNOWLEDGED, handling);
        if (recipient.takesMessages()) {
            group.time(MESSAGE_DURATION, sinceSent);
            group.count(MESSAGES_ACKNOWLEDGED);
        }
    }

    @Override
    public void duplicateSuppressed(Recipient recipient, String id) {
        of(recipient).count(DELIVERIES_SUPPRESSED);
    }

    @Override
    public void retried(Recipient recipient, String id, int attempt, Duration handling, Duration delay) {
        MeterGroup group = of(recipient);
        group.time(DELIVERY_HANDLING, RETRIED, handling);
        if (recipient.takesMessages()) {
            group.count(MESSAGES_RETRIED);
        }
    }

    @Override
    public void postponed(Recipient recipient, String id, int attempt, Duration handling, Duration delay) {
        MeterGroup group = of(recipient);
        group.time(DELIVERY_HANDLING, POSTPONED, handling);
        if (recipient.takesMessages()) {
            group.count(MESSAGES_POSTPONED);
        }
    }

    @Override
    public void released(Recipient recipient, String id) {
        of(recipient).count(DELIVERIES_RELEASED);
    }

    @Override
    public void deadLettered(Recipient recipient, String id, DeadLetterCause cause, @Nullable Duration handling) {
        handled(recipient, DEAD, handling);
        if (recipient.takesMessages()) {
            of(recipient).count(MESSAGES_DEAD);
        }
    }

    @Override
    public void notificationDropped(
            Recipient recipient, String deadLetterId, Throwable cause, @Nullable Duration handling) {
        of(recipient.topic()).count(NOTIFICATIONS_DROPPED);
        handled(recipient, DEAD, handling);
    }

    @Override
    public void settlementRejected(Recipient recipient, String id, @Nullable Duration handling) {
        handled(recipient, REJECTED, handling);
        of(recipient).count(SETTLEMENTS_REJECTED);
    }

    private void handled(Recipient recipient, String outcome, @Nullable Duration handling) {
        if (handling != null) {
            of(recipient).time(DELIVERY_HANDLING, outcome, handling);
        }
    }

    @Override
    public void leaseLost(Recipient recipient, String id, Instant leaseEnd) {
        of(recipient).count(LEASES_LOST);
    }

    @Override
    public void reclaimed(Recipient recipient, String id) {
        of(recipient).count(LEASES_RECLAIMED);
    }

    @Override
    public void sweepFound(Recipient recipient, int count) {
        of(recipient).count(SWEEPS_FOUND);
    }

    @Override
    public void outboxFailed(Throwable cause, Duration failing) {
        others.count(OUTBOX_ERRORS);
    }

    @Override
    public void taskFailed(String task, Throwable cause, Duration failing) {
        others.count(TASKS_FAILED);
    }

    @Override
    public void redisFailed(String operation, Throwable cause) {
        operations
                .computeIfAbsent(operation, name -> new MeterGroup(registry, name))
                .count(REDIS_ERRORS);
    }
}
