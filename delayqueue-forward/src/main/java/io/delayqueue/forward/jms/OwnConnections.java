package io.delayqueue.forward.jms;

import io.delayqueue.forward.ForwardException;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.jms.connection.CachingConnectionFactory;

/** A connection with cached sessions and producers, since opening them for each message is slow. Thread-safe. */
final class OwnConnections extends CachingConnectionFactory {

    private static final int SESSIONS = 100;

    private final AtomicInteger renewals = new AtomicInteger();
    private final Object state = new Object();
    private boolean connecting;
    private boolean closed;

    OwnConnections(ConnectionFactory target) {
        super(target);
        setSessionCacheSize(SESSIONS);
    }

    /** Returns the number of times the connection was closed, for {@link #giveUp}. */
    int renewals() {
        return renewals.get();
    }

    /**
     * Closes the connection and its cached sessions, unless another thread has done so meanwhile.
     *
     * @param seen the value of {@link #renewals()} before the connection was used
     */
    void giveUp(int seen) {
        if (renewals.compareAndSet(seen, seen + 1)) {
            resetConnection();
        }
    }

    /** Opens the connection. The caller holds a lock, so that calls are not concurrent. */
    @Override
    protected Connection doCreateConnection() throws JMSException {
        synchronized (state) {
            if (closed) {
                throw ended();
            }
            connecting = true;
        }
        boolean late;
        Connection connection;
        try {
            connection = super.doCreateConnection();
        } finally {
            synchronized (state) {
                connecting = false;
                late = closed;
            }
        }
        if (late) {
            closeConnection(connection);
            throw ended();
        }
        return connection;
    }

    private static ForwardException ended() {
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
