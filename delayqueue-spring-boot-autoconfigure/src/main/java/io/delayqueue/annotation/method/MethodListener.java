package io.delayqueue.annotation.method;

import io.delayqueue.listener.DeliveryHandler;
import java.lang.reflect.Type;

/**
 * A method as a handler of deliveries.
 *
 * @param payloadType what payloads are to be converted to; for batches, each element
 * @param batch whether it takes lists
 * @param handler calls the method
 */
public record MethodListener(Type payloadType, boolean batch, DeliveryHandler handler) {}
