package io.delayqueue.forward.rabbit;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.SocketConfigurator;
import io.delayqueue.forward.ForwardException;
import io.delayqueue.message.InvalidOptionException;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;
import org.springframework.util.ReflectionUtils;

/**
 * A separate connection to the application's RabbitMQ. It is opened on demand, and reopened after it was lost.
 * Thread-safe.
 */
final class RabbitConnection implements AutoCloseable {

    private static final String NAME = "delayqueue";
    private static final int HEARTBEAT_SECONDS = 60;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    /**
     * Pause after a failed connection attempt, since thousands of messages may be due while RabbitMQ is unavailable.
     */
    private static final Duration RECONNECT_DELAY = Duration.ofMillis(250);

    private final AbstractConnectionFactory application;
    private final Duration timeout;
    private final ExecutorService threads;

    /** Acquired interruptibly, since connecting to an unresponsive broker may take long. */
    private final ReentrantLock lock = new ReentrantLock();

    private volatile @Nullable OpenConnection connection;
    private volatile @Nullable Socket socket;
    private volatile boolean closed;
    private @Nullable IOException lastFailure;
    private long failedAt;

    private RabbitConnection(AbstractConnectionFactory application, Duration timeout, ExecutorService threads) {
        this.application = application;
        this.timeout = timeout;
        this.threads = threads;
    }

    /**
     * Creates an instance with the application's settings, except that its timeouts are limited and heartbeats are
     * always enabled.
     *
     * @param threads executor of calls that may block
     * @throws InvalidOptionException if the settings are not accessible
     */
    static RabbitConnection of(
            org.springframework.amqp.rabbit.connection.ConnectionFactory application,
            Duration timeout,
            ExecutorService threads) {
        if (!(application instanceof AbstractConnectionFactory known)) {
            throw new InvalidOptionException(
                    "to",
                    "names a RabbitTemplate on a "
                            + application.getClass().getName()
                            + ", whose settings are not accessible; name a RabbitTemplate on a"
                            + " CachingConnectionFactory");
        }
        return new RabbitConnection(known, timeout, threads);
    }

    /**
     * Creates a factory for one connection attempt, since the application may change its settings, such as the
     * password.
     */
    private ConnectionFactory factory() {
        ConnectionFactory factory = application.getRabbitConnectionFactory().clone();
        int millis = (int) timeout.toMillis();
        factory.setConnectionTimeout(shorter(factory.getConnectionTimeout(), millis));
        factory.setHandshakeTimeout(shorter(factory.getHandshakeTimeout(), millis));
        factory.setChannelRpcTimeout(shorter(factory.getChannelRpcTimeout(), millis));
        if (factory.getRequestedHeartbeat() == 0) {
            factory.setRequestedHeartbeat(HEARTBEAT_SECONDS); // otherwise an unresponsive broker counts as connected
        }
        factory.setAutomaticRecoveryEnabled(false);
        // otherwise the client closes the socket only after a blocked write, which only closing the socket would end
        factory.setShutdownExecutor(threads);
        SocketConfigurator settings = factory.getSocketConfigurator();
        factory.setSocketConfigurator(each -> {
            if (settings != null) {
                settings.configure(each);
            }
            socket = each;
        });
        return factory;
    }

    /** In the client, 0 means no timeout. */
    private static int shorter(int theirs, int ours) {
        return theirs == 0 ? ours : Math.min(theirs, ours);
    }

    /** Fails if RabbitMQ has blocked the connection. */
    void requireNotBlocked() {
        OpenConnection current = connection;
        if (current != null) {
            current.requireNotBlocked();
        }
    }

    Channel newChannel() throws IOException, TimeoutException, InterruptedException {
        lock.lockInterruptibly();
        try {
            Channel channel = open().connection().createChannel();
            if (channel == null) {
                throw new IOException("RabbitMQ has no more channels on one connection");
            }
            return channel;
        } finally {
            lock.unlock();
        }
    }

    private OpenConnection open() throws IOException, TimeoutException {
        requireNotClosed();
        OpenConnection open = connection;
        if (open == null || !open.isOpen()) {
            open = new OpenConnection(connectUnlessFailedRecently(), socket, threads, CLOSE_TIMEOUT);
            connection = open;
            if (closed) {
                open.close();
                requireNotClosed();
            }
        }
        return open;
    }

    private void requireNotClosed() {
        if (closed) {
            throw new ForwardException("the application is closed");
        }
    }

    private Connection connectUnlessFailedRecently() throws IOException, TimeoutException {
        if (lastFailure != null && System.nanoTime() - failedAt < RECONNECT_DELAY.toNanos()) {
            throw new IOException("RabbitMQ was unreachable a moment ago", lastFailure);
        }
        try {
            Connection connected = connect();
            lastFailure = null;
            return connected;
        } catch (IOException e) {
            lastFailure = e;
            failedAt = System.nanoTime();
            throw e;
        }
    }

    private Connection connect() throws IOException, TimeoutException {
        ConnectionFactory factory = factory();
        List<Address> addresses = addresses();
        return addresses == null ? factory.newConnection(NAME) : factory.newConnection(addresses, NAME);
    }

    /**
     * Reads the addresses by reflection, since they have no accessor. Reads them each time, since the application may
     * resolve them each time.
     */
    @SuppressWarnings("unchecked")
    private @Nullable List<Address> addresses() {
        Method getter = ReflectionUtils.findMethod(AbstractConnectionFactory.class, "getAddresses");
        if (getter == null) {
            return null;
        }
        ReflectionUtils.makeAccessible(getter);
        return (List<Address>) ReflectionUtils.invokeMethod(getter, application);
    }

    /** Closes permanently. Does not wait for a thread that is connecting. That thread closes its connection itself. */
    @Override
    public void close() {
        closed = true;
        OpenConnection open = connection;
        if (open != null) {
            open.close();
        }
    }
}
