package io.delayqueue.forward.jms;

import io.delayqueue.forward.Broker;
import io.delayqueue.forward.ForwardedMessage;
import io.delayqueue.forward.Forwarder;
import io.delayqueue.forward.Route;
import io.delayqueue.message.Failure;
import io.delayqueue.message.InvalidOptionException;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.jms.IllegalStateException;
import org.springframework.jms.connection.SingleConnectionFactory;
import org.springframework.jms.core.JmsTemplate;

/**
 * Forwards to JMS, each message in its own transaction. Regardless of the provider's settings, the commit returns only
 * when the broker has stored the message. Thread-safe.
 */
public final class JmsBroker implements Broker {

    private static final String POOLS = "org.messaginghub.pooled.jms.";

    private final JmsTemplate application;
    private @Nullable RenewableConnectionFactory renewable;

    /**
     * Creates a broker.
     *
     * @param application template whose connection factory, destination resolver and priority are used
     */
    public JmsBroker(JmsTemplate application) {
        this.application = application;
    }

    @Override
    public Forwarder open(Route route) {
        route.requireDestination("a queue of JMS, or with pub-sub to a topic");
        route.rejectRoutingKey();
        ConnectionFactory connections = connections();
        JmsTemplate template = new JmsTemplate(connections);
        template.setSessionTransacted(true);
        template.setPubSubDomain(route.pubSub());
        template.setDestinationResolver(application.getDestinationResolver());
        template.setExplicitQosEnabled(true);
        template.setDeliveryPersistent(true);
        template.setPriority(application.getPriority());
        return connections instanceof RenewableConnectionFactory cache
                ? message -> sendWithCachedProducer(template, cache, message)
                : message -> send(template, message);
    }

    /**
     * Tries to open a new connection, because most exceptions of a provider have no type that tells a broken connection
     * from a rejected message. Blocks until the broker replies.
     */
    @Override
    public boolean isUnavailable(Throwable failure) {
        if (!Failure.hasCause(failure, List.of(JMSException.class))) {
            return false;
        }
        ConnectionFactory factory = connections();
        if (factory instanceof SingleConnectionFactory single && single.getTargetConnectionFactory() != null) {
            factory = single.getTargetConnectionFactory();
        }
        try (Connection connection = factory.createConnection();
                Session session = connection.createSession()) {
            return session == null;
        } catch (JMSException | RuntimeException e) {
            return true;
        }
    }

    private static CompletionStage<?> send(JmsTemplate template, ForwardedMessage message) {
        template.send(message.destination(), session -> JmsMessages.create(session, message));
        return CompletableFuture.completedFuture(null);
    }

    /**
     * Renews the connection if the server has closed the cached producer. The server may close a producer but not its
     * session, and the cached producer would then stay unusable.
     */
    private static CompletionStage<?> sendWithCachedProducer(
            JmsTemplate template, RenewableConnectionFactory cache, ForwardedMessage message) {
        int generation = cache.generation();
        try {
            return send(template, message);
        } catch (IllegalStateException closed) {
            cache.renew(generation);
            throw closed;
        }
    }

    private synchronized ConnectionFactory connections() {
        if (renewable != null) {
            return renewable;
        }
        ConnectionFactory target = application.getConnectionFactory();
        if (target == null) {
            throw new InvalidOptionException("to", "names a JmsTemplate without a ConnectionFactory");
        }
        if (target instanceof SingleConnectionFactory single && single.getTargetConnectionFactory() != null) {
            target = single.getTargetConnectionFactory();
        }
        if (target instanceof SingleConnectionFactory
                || target.getClass().getName().startsWith(POOLS)) {
            return target;
        }
        renewable = new RenewableConnectionFactory(target);
        return renewable;
    }

    @Override
    public synchronized void close() {
        if (renewable != null) {
            renewable.destroy();
        }
    }
}
