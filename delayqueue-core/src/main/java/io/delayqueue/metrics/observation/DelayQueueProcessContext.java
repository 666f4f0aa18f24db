package io.delayqueue.metrics.observation;

import io.delayqueue.listener.Delivery;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The context of a {@link DelayQueueObservation#PROCESS} observation. A propagator continues the trace in the headers
 * of the message, unless the handling is {@linkplain #linked() linked}.
 */
public final class DelayQueueProcessContext extends ReceiverContext<Map<String, String>> {

    private final String listener;
    private final List<Delivery> deliveries;
    private final boolean linked;
    private volatile @Nullable String outcome;

    /**
     * Creates the context.
     *
     * @param listener the listener's id
     * @param deliveries at least one; several deliveries have no common trace and are always linked
     * @param link whether a single delivery is linked, too
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

    /** The deliveries; one, unless the listener handles batches. */
    public List<Delivery> deliveries() {
        return deliveries;
    }

    /**
     * Whether the handling starts a new trace with links to the senders' spans, instead of continuing the sender's
     * trace.
     */
    public boolean linked() {
        return linked;
    }

    /** The result of the handler: success, failure, partial or postponed; null while it runs. */
    public @Nullable String outcome() {
        return outcome;
    }

    void setOutcome(String outcome) {
        this.outcome = outcome;
    }
}
