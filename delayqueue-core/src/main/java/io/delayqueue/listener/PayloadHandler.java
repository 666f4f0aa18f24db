package io.delayqueue.listener;

/**
 * Handles messages one by one. The engine calls it concurrently, up to the listener's concurrency. Implementations must be
 * thread-safe.
 *
 * @param <T> the type of the payloads
 */
@FunctionalInterface
public interface PayloadHandler<T> {

    /**
     * Handles one message. If the method returns and has not settled the delivery, the message is acknowledged.
     *
     * @param payload the converted payload
     * @param delivery the delivery, with its attempt, headers, lease and acknowledgement
     * @throws Exception if the attempt failed
     */
    void handle(T payload, Delivery delivery) throws Exception;
}
