package io.delayqueue.test;

import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.Recipient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** Records the messages that this application has acknowledged. Thread-safe. */
final class AcknowledgedMessages implements DelayQueueEvents {

    private final Map<String, List<String>> acknowledged = new HashMap<>();

    @Override
    public void acknowledged(Recipient recipient, String id, int attempt, Duration handling, Duration sinceSent) {
        if (!recipient.takesMessages()) {
            return; // the id of a dead-letter notification is that of a dead letter, not of a message
        }
        synchronized (this) {
            acknowledged
                    .computeIfAbsent(recipient.topic(), any -> new ArrayList<>())
                    .add(id);
            notifyAll();
        }
    }

    synchronized boolean contains(String topic, String id) {
        return acknowledged.getOrDefault(topic, List.of()).contains(id);
    }

    synchronized int count(String topic) {
        return acknowledged.getOrDefault(topic, List.of()).size();
    }

    synchronized Set<String> ids(String topic) {
        return new TreeSet<>(acknowledged.getOrDefault(topic, List.of()));
    }

    synchronized void forget() {
        acknowledged.clear();
    }

    /** Waits for the next event, for at most a number of nanoseconds. */
    synchronized void await(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.timedWait(this, nanos);
    }
}
