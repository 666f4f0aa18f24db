package io.delayqueue.forward.rabbit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.delayqueue.forward.ForwardException;
import io.delayqueue.forward.ForwardedMessage;
import io.delayqueue.forward.Route;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Messages as RabbitMQ has them, in which names and properties are short. */
final class RabbitMessages {

    private static final int PERSISTENT = 2;
    private static final int LONGEST = 255;
    private static final int TOLD = 40;

    /** Further routing keys, which RabbitMQ takes as lists only: it closes the channel on a text. */
    private static final Set<String> ROUTES = Set.of("CC", "BCC");

    private RabbitMessages() {}

    /**
     * Checks what a route says.
     *
     * @throws IllegalArgumentException in a sentence that begins with the name of what is wrong
     */
    static void check(Route route) {
        if (!fits(route.destination())) {
            throw new IllegalArgumentException(tooLong("destination", route.destination()));
        }
        String routingKey = route.routingKey();
        if (routingKey != null && !fits(routingKey)) {
            throw new IllegalArgumentException(tooLong("routingKey", routingKey));
        }
    }

    static String exchange(ForwardedMessage message) {
        return fitting("The exchange", message.destination());
    }

    static String routingKey(ForwardedMessage message, Route route) {
        return fitting("The routing key", Objects.requireNonNullElse(message.routingKey(), route.topic()));
    }

    /** An id that is too long is told by the header {@code delayqueue_id} only. */
    static BasicProperties properties(ForwardedMessage message) {
        Map<String, Object> headers = new LinkedHashMap<>(message.headers());
        headers.keySet().removeAll(ROUTES);
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
            throw new ForwardException(tooLong(what, value));
        }
        return value;
    }

    private static boolean fits(String value) {
        return value.getBytes(UTF_8).length <= LONGEST;
    }

    private static String tooLong(String what, String value) {
        return what + " is at most " + LONGEST + " bytes long in RabbitMQ, but '"
                + value.substring(0, Math.min(TOLD, value.length())) + "…' has " + value.getBytes(UTF_8).length;
    }
}
