package io.delayqueue.metrics.observation;

import io.delayqueue.listener.Delivery;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Handling that is observed. A propagator reads the headers of the message, so that its trace goes on, unless the
 * handling is {@linkplain #linked() linked}.
 */
public final class DelayQueueProcessContext extends ReceiverContext<Map<String, String>> {

    private final String listener;
    private final List<Delivery> deliveries;
    private final boolean linked;
    private volatile @Nullable String outcome;

    /**
     * Of deliveries that a listener is about to handle.
     *
     * @param listener the listener's id
     * @param deliveries at least one; several have no trace in common and are always linked
     * @param link whether one is linked, too
     */
    public DelayQueueProcessContext(String listener, List<Delivery> deliveries, boolean link) {
        super((carrier, name) -> Objects.requireNonNull(carrier).get(name), Kind.CONSUMER);
        this.listener = listener;
        this.deliveries = List.copyOf(deliveries);
        this.linked = link || deliveries.size() > 1;
        setCarrier(linked ? Map.of() : deliveries.get(0).headers());
    }

    /** The listener's id. */
    public String listener() {
        return listener;
    }

    /** The topic. */
    public String topic() {
        return deliveries.get(0).topic();
    }

    /** What is handled: one, unless the listener takes batches. */
    public List<Delivery> deliveries() {
        return deliveries;
    }

    /** Whether it begins a trace of its own, with links to those of the senders, instead of going on with the sender's. */
    public boolean linked() {
        return linked;
    }

    /** How the handler ended: success, failure or partial; null while it runs. */
    public @Nullable String outcome() {
        return outcome;
    }

    void setOutcome(String outcome) {
        this.outcome = outcome;
    }
}
