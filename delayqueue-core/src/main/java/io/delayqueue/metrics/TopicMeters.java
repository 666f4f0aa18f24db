package io.delayqueue.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** The meters of a topic's events other than deliveries. */
final class TopicMeters {

    private final MeterGroup group;
    final Counter sent;
    final Counter duplicates;
    final Counter unsent;
    final Counter cancelled;
    final Counter replayed;
    final Counter deadLettersDropped;
    final Counter notificationsDropped;

    TopicMeters(MeterRegistry registry, String topic) {
        group = new MeterGroup(registry);
        sent = group.counter(DelayQueueMeters.MESSAGES_SENT, topic);
        duplicates = group.counter(DelayQueueMeters.MESSAGES_DUPLICATES, topic);
        unsent = group.counter(DelayQueueMeters.MESSAGES_UNSENT, topic);
        cancelled = group.counter(DelayQueueMeters.MESSAGES_CANCELLED, topic);
        replayed = group.counter(DelayQueueMeters.MESSAGES_REPLAYED, topic);
        deadLettersDropped = group.counter(DelayQueueMeters.DEAD_LETTERS_DROPPED, topic);
        notificationsDropped = group.counter(DelayQueueMeters.NOTIFICATIONS_DROPPED, topic);
    }

    void remove() {
        group.remove();
    }
}
