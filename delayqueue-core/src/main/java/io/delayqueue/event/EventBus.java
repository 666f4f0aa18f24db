package io.delayqueue.event;

import io.delayqueue.Internal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Publishes events to listeners. An exception of a listener is logged and affects neither the caller nor other
 * listeners. Thread-safe.
 */
@Internal
public final class EventBus {

    private static final Log log = LogFactory.getLog(EventBus.class);

    private final List<DelayQueueEvents> listeners;

    /**
     * Creates a bus.
     *
     * @param listeners in the order of their calls
     */
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

    /** Calls each listener. */
    public void publish(Consumer<DelayQueueEvents> event) {
        for (DelayQueueEvents listener : listeners) {
            try {
                event.accept(listener);
            } catch (Throwable e) {
                // also errors: a failed assertion or a missing class of a listener must not stop the engine
                FailureLog.log(
                        log::warn,
                        "A listener of delay-queue events failed: "
                                + listener.getClass().getName(),
                        e);
            }
        }
    }
}
