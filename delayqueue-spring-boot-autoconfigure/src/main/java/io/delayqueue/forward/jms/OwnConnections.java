package io.delayqueue.forward.jms;

import io.delayqueue.forward.ForwardException;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.jms.connection.CachingConnectionFactory;

/** A connection whose sessions and producers are kept, since opening them per message would take its time. Thread-safe. */
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

    /** How often the connection was given up; to be told to {@link #giveUp}. */
    int renewals() {
        return renewals.get();
    }

    /**
     * Closes the connection with all that is kept of it, unless another thread did so since.
     *
     * @param seen what {@link #renewals()} was before it was used
     */
    void giveUp(int seen) {
        if (renewals.compareAndSet(seen, seen + 1)) {
            resetConnection();
        }
    }

    /** One at a time: the caller holds a lock. */
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
     * Closes the connection, and opens none any more. Who is just connecting closes what he gets, and isn't waited for: he
     * holds the lock, and a broker that is away may keep him for as long as it likes.
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
