package io.delayqueue.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** The meters of what happens to a topic's messages outside deliveries. */
final class TopicMeters {

    private final MeterGroup group;
    final Counter sent;
    final Counter duplicates;
    final Counter unsent;
    final Counter cancelled;
    final Counter replayed;
    final Counter lettersDropped;
    final Counter noticesDropped;

    TopicMeters(MeterRegistry registry, String topic) {
        group = new MeterGroup(registry);
        sent = group.counter(DelayQueueMeters.MESSAGES_SENT, topic);
        duplicates = group.counter(DelayQueueMeters.MESSAGES_DUPLICATES, topic);
        unsent = group.counter(DelayQueueMeters.MESSAGES_UNSENT, topic);
        cancelled = group.counter(DelayQueueMeters.MESSAGES_CANCELLED, topic);
        replayed = group.counter(DelayQueueMeters.MESSAGES_REPLAYED, topic);
        lettersDropped = group.counter(DelayQueueMeters.LETTERS_DROPPED, topic);
        noticesDropped = group.counter(DelayQueueMeters.NOTICES_DROPPED, topic);
    }

    void remove() {
        group.remove();
    }
}
