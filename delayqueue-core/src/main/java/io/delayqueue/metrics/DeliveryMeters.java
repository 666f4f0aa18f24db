package io.delayqueue.metrics;

import io.delayqueue.event.Recipient;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The meters of one recipient's deliveries. Thread-safe. */
final class DeliveryMeters {

    static final String NO_LISTENER = "none";

    private final MeterGroup group;
    private final @Nullable MessageMeters messages;
    private final Timer acknowledged;
    private final Timer retried;
    private final Timer dead;
    private final Timer rejected;
    private final Counter settlementsRejected;
    final Timer lateness;
    final Counter released;
    final Counter reclaimed;
    final Counter lost;
    final Counter sweepsFound;

    DeliveryMeters(MeterRegistry registry, Recipient recipient) {
        String topic = recipient.topic();
        String listener = recipient.listener() == null ? NO_LISTENER : recipient.listener();
        group = new MeterGroup(registry);
        lateness = group.timer(DelayQueueMeters.DELIVERY_LATENESS, topic, listener);
        acknowledged = handling(topic, listener, "acknowledged");
        retried = handling(topic, listener, "retried");
        dead = handling(topic, listener, "dead");
        rejected = handling(topic, listener, "rejected");
        released = group.counter(DelayQueueMeters.DELIVERIES_RELEASED, topic, listener);
        reclaimed = group.counter(DelayQueueMeters.LEASES_RECLAIMED, topic, listener);
        settlementsRejected = group.counter(DelayQueueMeters.SETTLEMENTS_REJECTED, topic, listener);
        lost = group.counter(DelayQueueMeters.LEASES_LOST, topic, listener);
        sweepsFound = group.counter(DelayQueueMeters.SWEEPS_FOUND, topic, listener);
        messages = recipient.takesMessages() ? new MessageMeters(group, topic, listener) : null;
    }

    private Timer handling(String topic, String listener, String outcome) {
        return group.timer(DelayQueueMeters.DELIVERY_HANDLING, topic, listener, outcome);
    }

    /** The meters that count messages; a dead-letter notification is not a message. */
    private static final class MessageMeters {

        private final Timer duration;
        private final Counter acknowledged;
        private final Counter retried;
        private final Counter dead;

        MessageMeters(MeterGroup group, String topic, String listener) {
            duration = group.timer(DelayQueueMeters.MESSAGE_DURATION, topic, listener);
            acknowledged = group.counter(DelayQueueMeters.MESSAGES_ACKNOWLEDGED, topic, listener);
            retried = group.counter(DelayQueueMeters.MESSAGES_RETRIED, topic, listener);
            dead = group.counter(DelayQueueMeters.MESSAGES_DEAD, topic, listener);
        }
    }

    void acknowledged(Duration handling, Duration sinceSent) {
        acknowledged.record(handling);
        if (messages != null) {
            messages.duration.record(sinceSent);
            messages.acknowledged.increment();
        }
    }

    void retried(Duration handling) {
        retried.record(handling);
        if (messages != null) {
            messages.retried.increment();
        }
    }

    void deadLettered(@Nullable Duration handling) {
        if (handling != null) {
            dead.record(handling);
        }
        if (messages != null) {
            messages.dead.increment();
        }
    }

    void settlementRejected(@Nullable Duration handling) {
        if (handling != null) {
            rejected.record(handling);
        }
        settlementsRejected.increment();
    }

    void remove() {
        group.remove();
    }
}
