package io.delayqueue.annotation.method;

import io.delayqueue.listener.DeliveryHandler;
import java.lang.reflect.Type;

/**
 * A method as a handler of deliveries.
 *
 * @param payloadType the type to which payloads are converted; for batches, the type of each element
 * @param batch whether the method takes lists
 * @param handler calls the method
 */
public record MethodListener(Type payloadType, boolean batch, DeliveryHandler handler) {}
