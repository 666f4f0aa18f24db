package io.delayqueue.listener;

import java.util.List;

/**
 * Handles messages in batches. The engine calls it concurrently, up to the listener's concurrency. Implementations must be
 * thread-safe.
 */
@FunctionalInterface
public interface BatchHandler {

    /**
     * Handles a batch. If the method returns, the messages whose deliveries it has not settled are acknowledged.
     *
     * @param deliveries at least one; payloads are converted and leases are held
     * @throws BatchFailureException if only some of the deliveries failed
     * @throws Exception if all of the deliveries failed
     */
    void handle(List<Delivery> deliveries) throws Exception;
}
