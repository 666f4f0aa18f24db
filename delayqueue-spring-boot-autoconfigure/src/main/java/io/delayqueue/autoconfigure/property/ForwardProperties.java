package io.delayqueue.autoconfigure.property;

import io.delayqueue.autoconfigure.failure.InvalidPropertyException;
import io.delayqueue.forward.Route;
import io.delayqueue.listener.ListenerOptions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * A topic whose messages go on to a message broker. What is absent of how it is run is left to the topic and to
 * delayqueue.listener.
 *
 * @param topic The topic they come from.
 * @param to Where they go: kafka, rabbitmq, jms, or the name of a bean that is a KafkaTemplate, a RabbitTemplate, a
 *     JmsTemplate or any MessageSendingOperations.
 * @param destination The topic of Kafka, the exchange of RabbitMQ, the queue or topic of JMS, or the template's
 *     destination.
 * @param routingKey The routing key of RabbitMQ; unless said, the topic's name.
 * @param pubSub Whether the destination of JMS is a topic, not a queue.
 * @param sendTimeout How long the broker may take to confirm a message, 100 ms to 10 min, at most the handling time.
 * @param id The listener's id; unless said, "forward-" and the topic's name.
 * @param concurrency How many messages may be on their way to the broker at once, 1 to 10,000.
 * @param lease For how long a delivery is leased, 1 s to 1 d; renewed while the broker is waited for.
 * @param maxAttempts After how many attempts a message goes to the dead letters.
 * @param backoff What follows a failed attempt, as for delayqueue.listener.
 * @param notRetryable Exceptions that send a message to the dead letters at once, with their subclasses and whatever
 *     they caused.
 * @param handlingTime For how long a delivery is renewed at most while the broker is waited for.
 * @param prefetch How many deliveries may be claimed beyond those that are on their way, 0 to 10,000.
 */
public record ForwardProperties(
        @DefaultValue("") String topic,
        @DefaultValue("") String to,
        @DefaultValue("") String destination,
        @Nullable String routingKey,
        @DefaultValue("false") boolean pubSub,
        @DefaultValue("30s") Duration sendTimeout,
        @Nullable String id,
        @Nullable Integer concurrency,
        @Nullable Duration lease,
        @Nullable Integer maxAttempts,
        @Nullable String backoff,
        @Nullable List<Class<? extends Throwable>> notRetryable,
        @Nullable Duration handlingTime,
        @Nullable Integer prefetch) {

    /** What the properties of a forward begin with. */
    public static String prefix(int index) {
        return "delayqueue.forward[" + index + "]";
    }

    /**
     * Checks all of them.
     *
     * @param levels by which they are run
     * @throws InvalidPropertyException in a sentence that names the property
     */
    public static void check(List<ForwardProperties> forwards, ListenerLevels levels) {
        Map<String, Integer> ids = new HashMap<>();
        for (int index = 0; index < forwards.size(); index++) {
            ForwardProperties forward = forwards.get(index);
            String prefix = prefix(index);
            InvalidPropertyException.check(prefix, Map.of(), forward::toRoute);
            ListenerOptions options = forward.toOptions(levels, prefix);
            Integer other = ids.putIfAbsent(forward.listenerId(), index);
            InvalidPropertyException.check(prefix, Map.of(), () -> forward.checkBeside(options, other));
        }
    }

    private ListenerOptions checkBeside(ListenerOptions options, @Nullable Integer other) {
        if (sendTimeout.compareTo(options.handlingTime()) > 0) {
            throw new IllegalArgumentException("sendTimeout is at most the handling time (" + options.handlingTime()
                    + "), after which the lease is renewed no more, but is " + sendTimeout);
        }
        if (other != null) {
            throw new IllegalArgumentException("id is '" + listenerId() + "', as that of " + prefix(other)
                    + ", but must be unique; and note that a message goes by one forward of its topic, not by each");
        }
        return options;
    }

    /** The listener's id. */
    public String listenerId() {
        return id == null || id.isBlank() ? "forward-" + topic : id;
    }

    /**
     * Where messages go.
     *
     * @throws IllegalArgumentException in a sentence that begins with the name of what is wrong
     */
    public Route toRoute() {
        return new Route(topic, to, destination, routingKey, pubSub, sendTimeout);
    }

    /**
     * How it is run.
     *
     * @param levels what holds where it says nothing
     * @param prefix what its properties begin with
     * @throws InvalidPropertyException in a sentence that names the property
     */
    public ListenerOptions toOptions(ListenerLevels levels, String prefix) {
        ListenerDefaults own = new ListenerDefaults(
                concurrency, null, lease, maxAttempts, backoff, notRetryable, handlingTime, prefetch, null, null);
        return levels.over(levels.ofTopic(Objects.requireNonNull(topic)), own, prefix);
    }
}
