package io.delayqueue.listener;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Wraps the handling of deliveries, for example for tracing, a logging context or a security context. Beans of this
 * type apply to every listener in their order; the first one is outermost. Implementations must be thread-safe.
 */
@FunctionalInterface
public interface DeliveryInterceptor {

    /**
     * Calls {@code next} and returns its stage, or a stage that completes after it. The handler starts on the calling
     * thread within {@code next}. Handling ends when the stage completes.
     *
     * @param listener the listener's id
     * @param deliveries the deliveries of this call: one, or a batch
     * @param next the rest of the chain; must be called once
     * @throws Exception if the deliveries failed, as if the handler had thrown it
     */
    CompletionStage<?> around(String listener, List<Delivery> deliveries, Next next) throws Exception;

    /** The rest of the chain. */
    @FunctionalInterface
    interface Next {

        /**
         * Handles the deliveries.
         *
         * @return completes when they are handled
         * @throws Exception if the handler or an inner interceptor throws
         */
        CompletionStage<?> proceed() throws Exception;
    }
}
