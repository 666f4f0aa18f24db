package io.delayqueue.forward.rabbit;

import com.rabbitmq.client.ShutdownSignalException;
import io.delayqueue.forward.Broker;
import io.delayqueue.forward.Forwarder;
import io.delayqueue.forward.Route;
import io.delayqueue.message.Failure;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;

/**
 * Forwards to the application's RabbitMQ on a separate connection, with publisher confirms and mandatory routing. Each
 * route has its own channel. Thread-safe.
 */
public final class RabbitBroker implements Broker {

    private final ConnectionFactory application;
    private final ExecutorService threads;
    private final Map<Duration, RabbitConnection> connections = new ConcurrentHashMap<>();

    /**
     * Creates a broker.
     *
     * @param application connection factory whose settings are used
     * @param threads executor of client calls that may block
     */
    public RabbitBroker(ConnectionFactory application, ExecutorService threads) {
        this.application = application;
        this.threads = threads;
    }

    @Override
    public Forwarder open(Route route) {
        if (route.destination().isBlank() && isBlank(route.routingKey())) {
            route.requireDestination(
                    "an exchange of RabbitMQ; to use the default exchange, set routing-key to the queue");
        }
        route.rejectPubSub();
        RabbitMessages.check(route);
        RabbitConnection connection = connections.computeIfAbsent(
                route.sendTimeout(), timeout -> RabbitConnection.of(application, timeout, threads));
        ConfirmingChannel channel = new ConfirmingChannel(connection);
        return message -> channel.publish(
                RabbitMessages.exchange(message),
                RabbitMessages.routingKey(message, route),
                RabbitMessages.properties(message),
                message.body());
    }

    /**
     * A channel that RabbitMQ closes concerns a message, for example because its exchange is missing. A channel that the
     * forward closes after a failed write concerns no message in particular.
     */
    @Override
    public boolean isUnavailable(Throwable failure) {
        ShutdownSignalException shutdown = Failure.findCause(failure, ShutdownSignalException.class);
        return shutdown == null
                ? Failure.findCause(failure, IOException.class) != null
                : shutdown.isHardError() || shutdown.isInitiatedByApplication();
    }

    private static boolean isBlank(@Nullable String text) {
        return text == null || text.isBlank();
    }

    @Override
    public boolean isPipelined() {
        return true;
    }

    @Override
    public void close() {
        connections.values().forEach(RabbitConnection::close);
    }
}
