package io.delayqueue.forward.jms;

import io.delayqueue.forward.ForwardException;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.jms.connection.CachingConnectionFactory;

/**
 * Caches one connection with its sessions and producers, because opening them for each message is slow. The connection
 * can be replaced by a new one. Thread-safe.
 */
final class RenewableConnectionFactory extends CachingConnectionFactory {

    private static final int CACHED_SESSIONS = 100;

    private final AtomicInteger generation = new AtomicInteger();
    private final Object state = new Object();
    private boolean connecting;
    private boolean closed;

    RenewableConnectionFactory(ConnectionFactory target) {
        super(target);
        setSessionCacheSize(CACHED_SESSIONS);
    }

    /** Returns the number of times the connection was renewed. */
    int generation() {
        return generation.get();
    }

    /**
     * Closes the connection and its cached sessions, unless another thread has renewed it meanwhile. The next use opens
     * a new connection.
     *
     * @param used the value of {@link #generation()} before the connection was used
     */
    void renew(int used) {
        if (generation.compareAndSet(used, used + 1)) {
            resetConnection();
        }
    }

    /** Opens the connection. The caller holds a lock, so that calls are not concurrent. */
    @Override
    protected Connection doCreateConnection() throws JMSException {
        synchronized (state) {
            if (closed) {
                throw applicationClosed();
            }
            connecting = true;
        }
        boolean closedMeanwhile;
        Connection connection;
        try {
            connection = super.doCreateConnection();
        } finally {
            synchronized (state) {
                connecting = false;
                closedMeanwhile = closed;
            }
        }
        if (closedMeanwhile) {
            closeConnection(connection);
            throw applicationClosed();
        }
        return connection;
    }

    private static ForwardException applicationClosed() {
        return new ForwardException("the application is closed");
    }

    /**
     * Closes the connection and prevents new ones. Does not wait for a thread that is connecting, since that thread
     * holds the lock and may block while the broker is unavailable. It closes its connection itself.
     */
    @Override
    public void destroy() {
        synchronized (state) {
            closed = true;
            if (connecting) {
                return;
            }
        }
        super.destroy();
    }
}
