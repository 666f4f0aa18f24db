package io.delayqueue.metrics;

import io.delayqueue.event.Recipient;
import io.delayqueue.listener.ManagedListener;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

/** What the listeners of this process are doing. Thread-safe. */
public final class ListenerGauges {

    private final MeterRegistry registry;
    private final EventMeters events;
    private final Supplier<? extends Collection<? extends ManagedListener>> listeners;
    private final Set<String> known = new HashSet<>();

    /**
     * Into a registry, once {@link #update()} is called.
     *
     * @param events whose meters of each listener are to be there from the beginning
     * @param listeners all listeners, of which there may be more each time
     */
    public ListenerGauges(
            MeterRegistry registry,
            EventMeters events,
            Supplier<? extends Collection<? extends ManagedListener>> listeners) {
        this.registry = registry;
        this.events = events;
        this.listeners = listeners;
    }

    /** Registers the meters of listeners that are new. */
    public synchronized void update() {
        for (ManagedListener listener : listeners.get()) {
            if (known.add(listener.id())) {
                register(listener);
            }
        }
    }

    private void register(ManagedListener listener) {
        MeterGroup group = new MeterGroup(registry);
        group.gauge(DelayQueueMeters.PERMITS_USED, listener, ManagedListener::inUse, listener.topic(), listener.id());
        group.gauge(
                DelayQueueMeters.PERMITS_MAX,
                listener,
                each -> each.options().concurrency(),
                listener.topic(),
                listener.id());
        events.expect(new Recipient(listener.topic(), listener.lane(), listener.id()));
    }

    /** Whether a listener of this process listens to a topic. */
    boolean listenTo(String topic) {
        return listeners.get().stream().anyMatch(listener -> listener.topic().equals(topic));
    }
}
