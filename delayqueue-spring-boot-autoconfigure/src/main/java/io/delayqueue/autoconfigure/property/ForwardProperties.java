package io.delayqueue.autoconfigure.property;

import org.jspecify.annotations.Nullable;

/**
 * A topic whose messages go on to a message broker.
 *
 * @param topic The topic they come from.
 * @param to Where they go: kafka, rabbitmq, jms, or the name of a MessageSendingOperations bean.
 * @param destination The destination's name there.
 */
public record ForwardProperties(
        @Nullable String topic,
        @Nullable String to,
        @Nullable String destination) {}
