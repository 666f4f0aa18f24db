package io.delayqueue.forward;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where the messages of a topic go on to. Immutable.
 *
 * @param topic whose messages go on
 * @param to the broker as the properties name it
 * @param destination a topic of Kafka, an exchange of RabbitMQ (empty for the default one), a queue or topic of JMS, or
 *     whatever a template takes for a destination
 * @param routingKey RabbitMQ's; null for the topic's name
 * @param pubSub whether a destination of JMS is a topic, not a queue
 * @param sendTimeout how long the broker may take to confirm, 100 ms to 10 min
 */
public record Route(
        String topic,
        String to,
        String destination,
        @Nullable String routingKey,
        boolean pubSub,
        Duration sendTimeout) {

    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(100);
    private static final Duration LONGEST_TIMEOUT = Duration.ofMinutes(10);

    /** Checks what is needed for any broker. */
    public Route {
        require(!topic.isBlank(), "topic says whose messages go on, but is not set");
        require(
                !to.isBlank(),
                "to says where they go (kafka, rabbitmq, jms, or the name of a template's bean), but is not set");
        require(
                sendTimeout.compareTo(SHORTEST_TIMEOUT) >= 0 && sendTimeout.compareTo(LONGEST_TIMEOUT) <= 0,
                "sendTimeout is between " + SHORTEST_TIMEOUT + " and " + LONGEST_TIMEOUT + ", but is " + sendTimeout);
    }

    /**
     * Has a broker say that it needs a destination.
     *
     * @param what it is there, with its article
     * @throws IllegalArgumentException if there is none
     */
    public void requireDestination(String what) {
        require(!destination.isBlank(), "destination names " + what + ", but is not set");
    }

    /**
     * Has a broker say that it knows no routing keys.
     *
     * @throws IllegalArgumentException if there is one
     */
    public void refuseRoutingKey() {
        require(routingKey == null, "routingKey is for RabbitMQ only, and '" + to + "' is another broker");
    }

    /**
     * Has a broker say that it knows no two kinds of destinations.
     *
     * @throws IllegalArgumentException if one was chosen
     */
    public void refusePubSub() {
        require(!pubSub, "pubSub is for JMS only, and '" + to + "' is another broker");
    }

    private static void require(boolean holds, String sentence) {
        if (!holds) {
            throw new IllegalArgumentException(sentence);
        }
    }
}
