package io.delayqueue.sample.demo;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.listener.Delivery;
import io.delayqueue.sample.journal.Journal;
import io.delayqueue.sample.journal.JournalEntry.Actor;
import io.delayqueue.template.DelayQueueOperations;
import java.time.Duration;
import org.springframework.stereotype.Component;

/** Shows a listener with {@code once}: each message has one effect in the database. Thread-safe. */
@Component
final class FailedAttempt {

    static final String TOPIC = "demo-once";
    /** What the journal names it. */
    private static final String NAME = "once";

    private final DelayQueueOperations delayQueue;
    private final Journal journal;

    FailedAttempt(DelayQueueOperations delayQueue, Journal journal) {
        this.delayQueue = delayQueue;
        this.journal = journal;
    }

    void send() {
        journal.add(NAME, Actor.SHOP, "Sent a message whose first attempt fails after it has written to the database.");
        delayQueue.send(TOPIC, NAME, Duration.ZERO);
    }

    /** Its transaction contains the journal's entry, and is rolled back if the attempt fails. */
    @DelayListener(topic = TOPIC, once = "true", backoff = "fixed 1s")
    void handle(String name, Delivery delivery) {
        journal.handled(name, delivery, "A listener with once has written this. What attempt 1 wrote was rolled back.");
        if (delivery.attempt() == 1) {
            throw new IllegalStateException("The first attempt fails on purpose.");
        }
    }
}
