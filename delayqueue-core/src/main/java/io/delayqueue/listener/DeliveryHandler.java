package io.delayqueue.listener;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What the engine calls for each delivery or batch, whether its handling is synchronous or asynchronous. {@link
 * io.delayqueue.annotation.DelayListenerEndpoint.Builder DelayListenerEndpoint} makes it from a {@link PayloadHandler} or a
 * {@link BatchHandler}. The engine calls it concurrently, up to the listener's concurrency. Implementations must be
 * thread-safe.
 */
@FunctionalInterface
public interface DeliveryHandler {

    /**
     * Handles one delivery, or a batch if the listener's batch size is greater than 1.
     *
     * @param deliveries at least one; payloads are converted and leases are held
     * @return null if the deliveries are handled, or a stage that completes when they are; the concurrency permits
     *     are held until then
     * @throws BatchFailureException if only some of the deliveries failed
     * @throws Exception if all of the deliveries failed
     */
    @Nullable
    CompletionStage<?> handle(List<Delivery> deliveries) throws Exception;
}
