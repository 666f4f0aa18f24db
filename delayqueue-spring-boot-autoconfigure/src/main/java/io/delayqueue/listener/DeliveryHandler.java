package io.delayqueue.listener;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Handles deliveries. Called concurrently, up to the listener's concurrency. */
@FunctionalInterface
public interface DeliveryHandler {

    /**
     * Handles deliveries: one, unless the listener's batch size is greater.
     *
     * @param deliveries at least one, converted, their leases held
     * @return null when done, or a stage that ends when they are; the permits are held until then
     * @throws BatchFailureException if only some of them failed
     * @throws Exception fails all of them
     */
    @Nullable
    CompletionStage<?> handle(List<Delivery> deliveries) throws Exception;
}
