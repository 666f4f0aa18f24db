package io.delayqueue.forward.rabbit;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.SocketConfigurator;
import io.delayqueue.forward.ForwardException;
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

/** A connection to where the application's leads, dialled when it is needed and anew when it was lost. Thread-safe. */
final class OwnConnection implements AutoCloseable {

    private static final String NAME = "delayqueue";
    private static final int HEARTBEAT_SECONDS = 60;

    /** Thousands of messages may be due while nobody is there. */
    private static final Duration BETWEEN_DIALS = Duration.ofMillis(250);

    private final AbstractConnectionFactory application;
    private final Duration timeout;
    private final ExecutorService threads;

    /** Waiting for it may be interrupted, as dialling a broker that hangs takes its time. */
    private final ReentrantLock lock = new ReentrantLock();

    private volatile @Nullable Link link;
    private volatile @Nullable Socket socket;
    private volatile boolean closed;
    private @Nullable IOException refused;
    private long refusedAt;

    private OwnConnection(AbstractConnectionFactory application, Duration timeout, ExecutorService threads) {
        this.application = application;
        this.timeout = timeout;
        this.threads = threads;
    }

    /**
     * With an application's settings, of which only time-outs are changed, and a heartbeat that is switched off.
     *
     * @param threads where what may hang is done
     * @throws IllegalArgumentException if they aren't told
     */
    static OwnConnection like(
            org.springframework.amqp.rabbit.connection.ConnectionFactory application,
            Duration timeout,
            ExecutorService threads) {
        if (!(application instanceof AbstractConnectionFactory known)) {
            throw new IllegalArgumentException("to names a RabbitTemplate on a "
                    + application.getClass().getName()
                    + ", which doesn't tell its settings; let it name one on a CachingConnectionFactory");
        }
        return new OwnConnection(known, timeout, threads);
    }

    /** Made for each dial, since the application may change its settings meanwhile, as when its password is changed. */
    private ConnectionFactory factory() {
        ConnectionFactory own = application.getRabbitConnectionFactory().clone();
        int millis = (int) timeout.toMillis();
        own.setConnectionTimeout(shorter(own.getConnectionTimeout(), millis));
        own.setHandshakeTimeout(shorter(own.getHandshakeTimeout(), millis));
        own.setChannelRpcTimeout(shorter(own.getChannelRpcTimeout(), millis));
        if (own.getRequestedHeartbeat() == 0) {
            own.setRequestedHeartbeat(HEARTBEAT_SECONDS); // else a broker that hangs is held for connected for ever
        }
        own.setAutomaticRecoveryEnabled(false);
        // else the client waits for a thread that can't write before it closes the socket that this one waits for
        own.setShutdownExecutor(threads);
        SocketConfigurator settings = own.getSocketConfigurator();
        own.setSocketConfigurator(each -> {
            if (settings != null) {
                settings.configure(each);
            }
            socket = each;
        });
        return own;
    }

    /** Zero is without end there. */
    private static int shorter(int theirs, int ours) {
        return theirs == 0 ? ours : Math.min(theirs, ours);
    }

    /** Throws if RabbitMQ reads nothing from it. */
    void requireReads() {
        Link current = link;
        if (current != null) {
            current.requireReads();
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

    private Link open() throws IOException, TimeoutException {
        requireNotClosed();
        Link open = link;
        if (open == null || !open.isOpen()) {
            open = new Link(redial(), socket, threads);
            link = open;
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
        ConnectionFactory factory = factory();
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

    /** For good. Waits for nobody who is dialling, as he finds it closed. */
    @Override
    public void close() {
        closed = true;
        Link open = link;
        if (open != null) {
            open.close();
        }
    }
}
