package io.delayqueue.forward.jms;

import jakarta.jms.ConnectionFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.jms.connection.CachingConnectionFactory;

/** A connection whose sessions and producers are kept, since opening them per message would take its time. Thread-safe. */
final class OwnConnections extends CachingConnectionFactory {

    private static final int SESSIONS = 100;

    private final AtomicInteger renewals = new AtomicInteger();

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
}
