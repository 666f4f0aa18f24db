package io.delayqueue.forward;

import io.delayqueue.message.InvalidOptionException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The route by which the messages of a topic are forwarded. Immutable.
 *
 * @param topic topic whose messages are forwarded
 * @param to name of the broker in the properties
 * @param destination a Kafka topic, a RabbitMQ exchange (empty for the default exchange), a JMS queue or topic, or a
 *     destination of a messaging template
 * @param routingKey RabbitMQ's routing key; null for the name of the topic
 * @param pubSub whether a JMS destination is a topic instead of a queue
 * @param sendTimeout maximum time until the broker confirms, 100 ms to 10 min
 */
public record Route(
        String topic,
        String to,
        String destination,
        @Nullable String routingKey,
        boolean pubSub,
        Duration sendTimeout) {

    /**
     * Requires a destination.
     *
     * @param what the kind of destination, with its article
     * @throws InvalidOptionException if the destination is blank
     */
    public void requireDestination(String what) {
        InvalidOptionException.require(!destination.isBlank(), "destination", "must be set to " + what);
    }

    /**
     * Requires that no routing key is set.
     *
     * @throws InvalidOptionException if a routing key is set
     */
    public void rejectRoutingKey() {
        InvalidOptionException.require(
                routingKey == null, "routingKey", "is for RabbitMQ only, and '" + to + "' is another broker");
    }

    /**
     * Requires that pub-sub is not set.
     *
     * @throws InvalidOptionException if pub-sub is set
     */
    public void rejectPubSub() {
        InvalidOptionException.require(!pubSub, "pubSub", "is for JMS only, and '" + to + "' is another broker");
    }
}
