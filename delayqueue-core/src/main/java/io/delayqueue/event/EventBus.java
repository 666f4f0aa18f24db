package io.delayqueue.event;

import io.delayqueue.Internal;
import io.delayqueue.message.ThreadState;
import java.util.ArrayList;
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

    /** The most events that are kept for listeners that do not exist yet. */
    private static final int MAX_EARLY = 10_000;

    private final List<DelayQueueEvents> listeners;
    private final List<Consumer<DelayQueueEvents>> early = new ArrayList<>();
    private volatile boolean open = true;

    /**
     * Creates a bus.
     *
     * @param listeners in the order of their calls
     */
    public EventBus(List<? extends DelayQueueEvents> listeners) {
        this.listeners = new CopyOnWriteArrayList<>(listeners);
    }

    /**
     * Creates a bus whose listeners do not exist yet: they may themselves depend on what publishes the events. Until it
     * is opened, it keeps events, at most 10,000.
     */
    public static EventBus closed() {
        EventBus bus = new EventBus(List.of());
        bus.open = false;
        return bus;
    }

    /** Adds listeners before those that were added, and publishes what was kept. Has no effect on an open bus. */
    public void open(List<? extends DelayQueueEvents> first) {
        List<Consumer<DelayQueueEvents>> kept;
        synchronized (early) {
            if (open) {
                return;
            }
            listeners.addAll(0, first);
            kept = List.copyOf(early);
            early.clear();
            open = true;
        }
        kept.forEach(this::publish);
    }

    private boolean keep(Consumer<DelayQueueEvents> event) {
        synchronized (early) {
            if (open) {
                return false;
            }
            if (early.size() < MAX_EARLY) {
                early.add(event);
            }
            return true;
        }
    }

    /** Adds a listener. */
    public void add(DelayQueueEvents listener) {
        listeners.add(listener);
    }

    /** Calls each listener. Leaves the calling thread as it was. */
    public void publish(Consumer<DelayQueueEvents> event) {
        if (!open && keep(event)) {
            return;
        }
        ThreadState state = ThreadState.current();
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
            } finally {
                state.restore();
            }
        }
    }
}
