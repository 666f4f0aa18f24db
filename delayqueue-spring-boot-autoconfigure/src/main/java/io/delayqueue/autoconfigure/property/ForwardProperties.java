package io.delayqueue.autoconfigure.property;

import io.delayqueue.autoconfigure.failure.InvalidPropertyException;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DurationText;
import io.delayqueue.message.InvalidOptionException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * A topic whose messages are forwarded to a message broker, and the options of the listener that forwards them. Options
 * that are not set are taken from the topic and from delayqueue.listener. The batch size is always 1.
 *
 * @param topic The topic whose messages are forwarded.
 * @param to The broker: kafka, rabbitmq, jms, rocketmq, or the name of a bean of type KafkaTemplate, RabbitTemplate,
 *     JmsTemplate, RocketMQTemplate or MessageSendingOperations.
 * @param destination The Kafka topic, RabbitMQ exchange, JMS queue or topic, or destination of the template.
 * @param routingKey The RabbitMQ routing key; the topic's name by default.
 * @param pubSub Whether the JMS destination is a topic instead of a queue.
 * @param sendTimeout Maximum time until the broker confirms a message, 100 ms to 10 min, at most the handling time.
 * @param id The listener's id; "forward-" and the topic's name by default.
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
        @Nullable Integer batchSize,
        @Nullable Duration lease,
        @Nullable Integer maxAttempts,
        @Nullable String backoff,
        @Nullable List<Class<? extends Throwable>> notRetryable,
        @Nullable List<Class<? extends Throwable>> unavailableOn,
        @Nullable Duration handlingTime,
        @Nullable Integer prefetch,
        @Nullable Duration prefetchTime,
        @Nullable Duration drainTime)
        implements ListenerProperties {

    /** The brokers that have a keyword. */
    public static final List<String> BROKERS = List.of("kafka", "rabbitmq", "jms", "rocketmq");

    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(100);
    private static final Duration LONGEST_TIMEOUT = Duration.ofMinutes(10);

    /** The prefix of the properties of a forward. */
    public static String prefix(int index) {
        return "delayqueue.forward[" + index + "]";
    }

    /**
     * Checks all forwards.
     *
     * @param levels the options of listeners that apply where a forward sets none
     * @throws InvalidPropertyException if a value is invalid; the message names the property
     */
    public static void check(List<ForwardProperties> forwards, ListenerLevels levels) {
        Map<String, Integer> ids = new HashMap<>();
        for (int index = 0; index < forwards.size(); index++) {
            ForwardProperties forward = forwards.get(index);
            String prefix = prefix(index);
            InvalidPropertyException.check(prefix, forward::checkRoute);
            ListenerOptions options = levels.override(levels.ofTopic(forward.topic), forward, prefix);
            Integer other = ids.putIfAbsent(forward.listenerId(), index);
            InvalidPropertyException.check(prefix, () -> forward.checkTimeoutAndId(options, other));
        }
    }

    private ForwardProperties checkRoute() {
        InvalidOptionException.require(
                batchSize == null, "batchSize", "must not be set: a forward sends each message individually");
        InvalidOptionException.require(
                !topic.isBlank(), "topic", "must be set to the topic whose messages are forwarded");
        InvalidOptionException.require(
                !to.isBlank(),
                "to",
                "must be set to " + String.join(", ", BROKERS) + ", or the name of a bean that is a template");
        InvalidOptionException.requireRange("sendTimeout", sendTimeout, SHORTEST_TIMEOUT, LONGEST_TIMEOUT);
        return this;
    }

    private ListenerOptions checkTimeoutAndId(ListenerOptions options, @Nullable Integer other) {
        InvalidOptionException.require(
                sendTimeout.compareTo(options.handlingTime()) <= 0,
                "sendTimeout",
                "must be at most the handling time (" + DurationText.of(options.handlingTime())
                        + "), after which the lease is no longer renewed, but was " + DurationText.of(sendTimeout));
        if (other != null) {
            throw new InvalidOptionException(
                    "id",
                    "must be unique, but was '" + listenerId() + "' as for " + prefix(other)
                            + ". Two forwards of the same topic share its messages; each message is sent by one of"
                            + " them");
        }
        return options;
    }

    /** The listener's id. */
    public String listenerId() {
        return id == null || id.isBlank() ? "forward-" + topic : id;
    }
}
