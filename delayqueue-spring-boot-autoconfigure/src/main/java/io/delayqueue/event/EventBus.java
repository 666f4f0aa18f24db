package io.delayqueue.event;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Passes facts to each listener; one that throws hurts neither the teller nor its neighbours. Thread-safe. */
public final class EventBus {

    private static final Log log = LogFactory.getLog(EventBus.class);

    private final List<DelayQueueEvents> listeners;

    /** With its listeners, in their order. */
    public EventBus(List<? extends DelayQueueEvents> listeners) {
        this.listeners = new CopyOnWriteArrayList<>(listeners);
    }

    /** Adds a listener. */
    public void add(DelayQueueEvents listener) {
        listeners.add(listener);
    }

    /** Removes a listener. */
    public void remove(DelayQueueEvents listener) {
        listeners.remove(listener);
    }

    /** Tells each listener. */
    public void publish(Consumer<DelayQueueEvents> fact) {
        for (DelayQueueEvents listener : listeners) {
            try {
                fact.accept(listener);
            } catch (RuntimeException | Error e) { // an assertion or a class that is missing is no reason, either
                log.warn(
                        "A listener of delay-queue events failed: "
                                + listener.getClass().getName(),
                        e);
            }
        }
    }
}
