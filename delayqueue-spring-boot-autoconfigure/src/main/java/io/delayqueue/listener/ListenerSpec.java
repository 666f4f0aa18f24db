package io.delayqueue.listener;

import io.delayqueue.message.Shard.Lane;
import java.lang.reflect.Type;

/**
 * What a container is made from.
 *
 * @param id unique among the engine's containers
 * @param topic whose messages it handles
 * @param lane the topic's messages, or the notices of its deaths
 * @param options how it is run
 * @param payloadType what payloads are converted to; for batches, each element
 * @param handler what handles them
 */
public record ListenerSpec(
        String id, String topic, Lane lane, ListenerOptions options, Type payloadType, DeliveryHandler handler) {}
