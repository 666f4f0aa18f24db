package io.delayqueue.metrics;

import io.delayqueue.Internal;
import io.delayqueue.event.Recipient;
import io.delayqueue.listener.ManagedListener;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

/** Gauges of the listeners of this process. Thread-safe. */
@Internal
public final class ListenerGauges {

    private final MeterRegistry registry;
    private final EventMeters events;
    private final Supplier<? extends Collection<? extends ManagedListener>> listeners;
    private final Set<String> known = new HashSet<>();

    /**
     * Creates the gauges; {@link #update()} registers them.
     *
     * @param events registers the meters of each new listener, too
     * @param listeners supplies all listeners; later calls may return more
     */
    public ListenerGauges(
            MeterRegistry registry,
            EventMeters events,
            Supplier<? extends Collection<? extends ManagedListener>> listeners) {
        this.registry = registry;
        this.events = events;
        this.listeners = listeners;
    }

    /** Registers the meters of new listeners. */
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
        events.expect(new Recipient(listener.topic(), listener.kind(), listener.id()));
    }

    /** Whether this process has a listener of a topic. */
    boolean listenTo(String topic) {
        return listeners.get().stream().anyMatch(listener -> listener.topic().equals(topic));
    }
}
