package io.delayqueue.forward.rabbit;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;
import org.springframework.util.ReflectionUtils;

/** A connection to where the application's leads, dialled when it is needed and anew when it was lost. Thread-safe. */
final class OwnConnection implements AutoCloseable {

    private static final Log log = LogFactory.getLog(OwnConnection.class);
    private static final String NAME = "delayqueue";
    private static final int CLOSE_MILLIS = 5_000;

    /** Thousands of messages may be due while nobody is there. */
    private static final Duration BETWEEN_DIALS = Duration.ofMillis(250);

    private final AbstractConnectionFactory application;
    private final ConnectionFactory factory;

    /** Waiting for it may be interrupted, as dialling a broker that hangs takes its time. */
    private final ReentrantLock lock = new ReentrantLock();

    private @Nullable Connection connection;
    private @Nullable IOException refused;
    private long refusedAt;

    private OwnConnection(AbstractConnectionFactory application, ConnectionFactory factory) {
        this.application = application;
        this.factory = factory;
    }

    /**
     * With an application's settings, of which only time-outs are changed.
     *
     * @throws IllegalArgumentException if they aren't told
     */
    static OwnConnection like(
            org.springframework.amqp.rabbit.connection.ConnectionFactory application, Duration timeout) {
        if (!(application instanceof AbstractConnectionFactory known)) {
            throw new IllegalArgumentException("to names a RabbitTemplate on a "
                    + application.getClass().getName()
                    + ", which doesn't tell its settings; let it name one on a CachingConnectionFactory");
        }
        ConnectionFactory own = known.getRabbitConnectionFactory().clone();
        int millis = (int) timeout.toMillis();
        own.setConnectionTimeout(shorter(own.getConnectionTimeout(), millis));
        own.setHandshakeTimeout(shorter(own.getHandshakeTimeout(), millis));
        own.setChannelRpcTimeout(shorter(own.getChannelRpcTimeout(), millis));
        own.setAutomaticRecoveryEnabled(false);
        return new OwnConnection(known, own);
    }

    /** Zero is without end there. */
    private static int shorter(int theirs, int ours) {
        return theirs == 0 ? ours : Math.min(theirs, ours);
    }

    Channel newChannel() throws IOException, TimeoutException, InterruptedException {
        lock.lockInterruptibly();
        try {
            Connection open = connection;
            if (open == null || !open.isOpen()) {
                open = redial();
                connection = open;
            }
            Channel channel = open.createChannel();
            if (channel == null) {
                throw new IOException("RabbitMQ has no more channels on one connection");
            }
            return channel;
        } finally {
            lock.unlock();
        }
    }

    private Connection redial() throws IOException, TimeoutException {
        if (refused != null && System.nanoTime() - refusedAt < BETWEEN_DIALS.toNanos()) {
            throw new IOException("RabbitMQ was not to be reached a moment ago", refused);
        }
        try {
            Connection dialled = dial();
            refused = null;
            return dialled;
        } catch (IOException e) {
            refused = e;
            refusedAt = System.nanoTime();
            throw e;
        }
    }

    private Connection dial() throws IOException, TimeoutException {
        List<Address> addresses = addresses();
        return addresses == null ? factory.newConnection(NAME) : factory.newConnection(addresses, NAME);
    }

    /** Not told in any other way. Asked each time, since the application may resolve them each time. */
    @SuppressWarnings("unchecked")
    private @Nullable List<Address> addresses() {
        Method getter = ReflectionUtils.findMethod(AbstractConnectionFactory.class, "getAddresses");
        if (getter == null) {
            return null;
        }
        ReflectionUtils.makeAccessible(getter);
        return (List<Address>) ReflectionUtils.invokeMethod(getter, application);
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (connection != null && connection.isOpen()) {
                connection.close(CLOSE_MILLIS);
            }
        } catch (IOException | RuntimeException e) {
            log.debug("The connection to RabbitMQ was not closed in order", e);
        } finally {
            lock.unlock();
        }
    }
}
