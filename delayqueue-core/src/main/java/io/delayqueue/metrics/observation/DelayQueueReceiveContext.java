package io.delayqueue.metrics.observation;

import io.delayqueue.template.receive.LeasedDelivery;
import io.micrometer.observation.Observation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The context of a {@link DelayQueueObservation#RECEIVE} observation. */
public final class DelayQueueReceiveContext extends Observation.Context {

    private final List<String> topics;
    private volatile List<LeasedDelivery> deliveries = List.of();
    private volatile @Nullable String outcome;

    /**
     * Creates the context.
     *
     * @param topics the requested topics
     */
    public DelayQueueReceiveContext(List<String> topics) {
        this.topics = List.copyOf(topics);
    }

    /** The requested topics. */
    public List<String> topics() {
        return topics;
    }

    /** The topic of the received deliveries; null if there are none. */
    public @Nullable String topic() {
        List<LeasedDelivery> received = deliveries;
        return received.isEmpty() ? null : received.get(0).topic();
    }

    /** The received deliveries, all of one topic; empty until they are received. */
    public List<LeasedDelivery> deliveries() {
        return deliveries;
    }

    /** The result: received, empty, cancelled or failure; null until it is known. */
    public @Nullable String outcome() {
        return outcome;
    }

    void end(List<LeasedDelivery> received, String outcome) {
        this.deliveries = List.copyOf(received);
        this.outcome = outcome;
    }
}
