package io.delayqueue.forward.rabbit;

import com.rabbitmq.client.Connection;
import io.delayqueue.forward.ForwardException;
import java.io.IOException;
import java.net.Socket;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** A connection, of which it is known whether RabbitMQ reads what is sent on it. Thread-safe. */
final class Link {

    private static final Log log = LogFactory.getLog(Link.class);
    private static final int CLOSE_MILLIS = 5_000;
    private static final int LINGER_SECONDS = 1;

    private final Connection connection;
    private final @Nullable Socket socket;
    private volatile @Nullable String blocked;

    /**
     * Listens to RabbitMQ's alarms.
     *
     * @param socket the connection's; null if it isn't known
     */
    Link(Connection connection, @Nullable Socket socket) {
        this.connection = connection;
        this.socket = socket;
        connection.addBlockedListener(reason -> blocked = reason, () -> blocked = null);
    }

    Connection connection() {
        return connection;
    }

    boolean isOpen() {
        return connection.isOpen();
    }

    /** Throws if RabbitMQ reads nothing: a write would wait until its alarm is over, and nothing could interrupt it. */
    void requireReads() {
        String reason = blocked;
        if (reason != null && isOpen()) {
            throw new ForwardException("RabbitMQ takes nothing: " + reason);
        }
    }

    /** Closes it within seconds, also while RabbitMQ reads nothing. */
    void close() {
        if (blocked != null && socket != null) {
            try {
                socket.setSoLinger(true, LINGER_SECONDS);
                socket.close();
            } catch (IOException e) {
                log.debug("The socket to RabbitMQ was not closed in order", e);
            }
        }
        connection.abort(CLOSE_MILLIS);
    }
}
