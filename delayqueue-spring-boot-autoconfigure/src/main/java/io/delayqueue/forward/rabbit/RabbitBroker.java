package io.delayqueue.forward.rabbit;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.delayqueue.forward.Broker;
import io.delayqueue.forward.ForwardedMessage;
import io.delayqueue.forward.Forwarder;
import io.delayqueue.forward.Route;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;

/**
 * Forwards to RabbitMQ on a connection of its own, to where the application's leads, with publisher confirms and mandatory
 * routing; each route has a channel of its own. Thread-safe.
 */
public final class RabbitBroker implements Broker {

    private static final int PERSISTENT = 2;

    private final ConnectionFactory application;
    private final Map<Duration, OwnConnection> own = new ConcurrentHashMap<>();

    /**
     * Beside the application's connections.
     *
     * @param application whose settings are taken
     */
    public RabbitBroker(ConnectionFactory application) {
        this.application = application;
    }

    @Override
    public Forwarder open(Route route) {
        if (route.destination().isBlank() && route.routingKey() == null) {
            route.requireDestination("an exchange of RabbitMQ (or without one routing-key a queue)");
        }
        route.refusePubSub();
        OwnConnection connection =
                own.computeIfAbsent(route.sendTimeout(), timeout -> OwnConnection.like(application, timeout));
        ConfirmingChannel channel = new ConfirmingChannel(connection);
        return message -> channel.publish(
                message.destination(),
                Objects.requireNonNullElse(message.routingKey(), route.topic()),
                properties(message),
                message.body());
    }

    private static BasicProperties properties(ForwardedMessage message) {
        return new BasicProperties.Builder()
                .messageId(message.id())
                .contentType(message.contentType())
                .deliveryMode(PERSISTENT)
                .headers(new LinkedHashMap<>(message.headers()))
                .build();
    }

    @Override
    public void close() {
        own.values().forEach(OwnConnection::close);
    }
}
