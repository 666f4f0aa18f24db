package io.delayqueue.listener;

import io.delayqueue.message.QueueKind;
import java.lang.reflect.Type;

/**
 * What the engine needs to create a container.
 *
 * @param id unique among the engine's containers
 * @param topic the topic
 * @param kind the topic's messages, or the notifications of its dead letters
 * @param options the options
 * @param payloadType the type to which payloads are converted; for batches, the type of each element
 * @param handler the handler
 */
public record ListenerSpec(
        String id, String topic, QueueKind kind, ListenerOptions options, Type payloadType, DeliveryHandler handler) {}
