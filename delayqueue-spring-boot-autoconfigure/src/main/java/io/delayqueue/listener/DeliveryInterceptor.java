package io.delayqueue.listener;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Stands around the handling of deliveries: tracing, logging context, security context. Beans of this type apply to
 * every listener, in their order, the first one outermost. Must be thread-safe.
 */
@FunctionalInterface
public interface DeliveryInterceptor {

    /**
     * Calls {@code next} and returns its stage, or one that ends after it. The handler starts on the calling thread,
     * within {@code next}; it is over when the stage ends.
     *
     * @param listener the listener's id
     * @param deliveries what is handled: one, unless the listener takes batches
     * @param next the rest of the chain; to be called once
     * @throws Exception fails the deliveries as if the handler had thrown it
     */
    CompletionStage<?> around(String listener, List<Delivery> deliveries, Next next) throws Exception;

    /** The rest of the chain. */
    @FunctionalInterface
    interface Next {

        /**
         * Handles the deliveries.
         *
         * @return ends when they are handled
         */
        CompletionStage<?> proceed() throws Exception;
    }
}
