package io.delayqueue.forward.rabbit;

import com.rabbitmq.client.Connection;
import io.delayqueue.forward.ForwardException;
import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
    private final ExecutorService threads;
    private volatile @Nullable String blocked;

    /**
     * Listens to RabbitMQ's alarms.
     *
     * @param socket the connection's; null if it isn't known
     * @param threads where it is closed
     */
    Link(Connection connection, @Nullable Socket socket, ExecutorService threads) {
        this.connection = connection;
        this.socket = socket;
        this.threads = threads;
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

    /** Closes it within seconds, also while RabbitMQ reads nothing and somebody who writes holds all locks of the client. */
    void close() {
        if (blocked != null) {
            cut();
        }
        Future<?> closing = threads.submit(() -> connection.abort(CLOSE_MILLIS));
        try {
            closing.get(2 * CLOSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            cut();
        } catch (ExecutionException | TimeoutException e) {
            cut();
        }
    }

    private void cut() {
        if (socket != null) {
            try {
                socket.setSoLinger(true, LINGER_SECONDS);
                socket.close();
            } catch (IOException e) {
                log.debug("The socket to RabbitMQ was not closed in order", e);
            }
        }
    }
}
