package io.delayqueue.forward.rabbit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.delayqueue.forward.ForwardException;
import io.delayqueue.forward.ForwardedMessage;
import io.delayqueue.forward.Route;
import io.delayqueue.message.InvalidOptionException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Creates RabbitMQ messages. AMQP limits names and properties to 255 bytes. */
final class RabbitMessages {

    private static final int PERSISTENT = 2;
    private static final int MAX_BYTES = 255;
    private static final int MAX_SHOWN = 40;

    /** Headers with further routing keys. They must be lists: RabbitMQ closes the channel if they are strings. */
    private static final Set<String> ROUTING_HEADERS = Set.of("CC", "BCC");

    private RabbitMessages() {}

    /**
     * Checks the options of a route.
     *
     * @throws InvalidOptionException with the name of the invalid option
     */
    static void check(Route route) {
        if (!fits(route.destination())) {
            throw new InvalidOptionException("destination", tooLong(route.destination()));
        }
        String routingKey = route.routingKey();
        if (routingKey != null && !fits(routingKey)) {
            throw new InvalidOptionException("routingKey", tooLong(routingKey));
        }
    }

    static String exchange(ForwardedMessage message) {
        return fitting("The exchange", message.destination());
    }

    static String routingKey(ForwardedMessage message, Route route) {
        return fitting("The routing key", Objects.requireNonNullElse(message.routingKey(), route.topic()));
    }

    /** If the id is too long, only the header {@code delayqueue_id} has it. */
    static BasicProperties properties(ForwardedMessage message) {
        Map<String, Object> headers = new LinkedHashMap<>(message.headers());
        headers.keySet().removeAll(ROUTING_HEADERS);
        headers.keySet().forEach(name -> fitting("The name of a header", name));
        return new BasicProperties.Builder()
                .messageId(fits(message.id()) ? message.id() : null)
                .contentType(fitting("The content type", message.contentType()))
                .deliveryMode(PERSISTENT)
                .headers(headers)
                .build();
    }

    private static String fitting(String what, String value) {
        if (!fits(value)) {
            throw new ForwardException(what + " " + tooLong(value));
        }
        return value;
    }

    private static boolean fits(String value) {
        return value.getBytes(UTF_8).length <= MAX_BYTES;
    }

    private static String tooLong(String value) {
        return "is at most " + MAX_BYTES + " bytes long in RabbitMQ, but '"
                + value.substring(0, Math.min(MAX_SHOWN, value.length())) + "…' has " + value.getBytes(UTF_8).length;
    }
}
