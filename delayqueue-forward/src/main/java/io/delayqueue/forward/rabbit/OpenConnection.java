package io.delayqueue.forward.rabbit;

import com.rabbitmq.client.Connection;
import io.delayqueue.listener.DependencyUnavailableException;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** An open connection that tracks whether RabbitMQ has blocked it. Thread-safe. */
final class OpenConnection {

    private static final Log log = LogFactory.getLog(OpenConnection.class);
    private static final int LINGER_SECONDS = 1;

    private final Connection connection;
    private final @Nullable Socket socket;
    private final ExecutorService threads;
    private final Duration closeTimeout;
    private volatile @Nullable String blocked;

    /**
     * Starts to listen for RabbitMQ's resource alarms.
     *
     * @param socket socket of the connection; null if unknown
     * @param threads executor that closes the connection
     * @param closeTimeout timeout of an orderly close; the socket is closed after twice that time
     */
    OpenConnection(Connection connection, @Nullable Socket socket, ExecutorService threads, Duration closeTimeout) {
        this.connection = connection;
        this.socket = socket;
        this.threads = threads;
        this.closeTimeout = closeTimeout;
        connection.addBlockedListener(reason -> blocked = reason, () -> blocked = null);
    }

    Connection connection() {
        return connection;
    }

    boolean isOpen() {
        return connection.isOpen();
    }

    /**
     * Fails if RabbitMQ has blocked the connection. Otherwise a write would block until the alarm ends, and could not
     * be interrupted.
     */
    void requireNotBlocked() {
        String reason = blocked;
        if (reason != null && isOpen()) {
            throw new DependencyUnavailableException("RabbitMQ has blocked the connection: " + reason);
        }
    }

    /**
     * Closes the connection within seconds, even if RabbitMQ has blocked it and a writing thread holds all locks of the
     * client.
     */
    void close() {
        if (blocked != null) {
            closeSocket();
        }
        Future<?> closing = threads.submit(() -> connection.abort((int) closeTimeout.toMillis()));
        try {
            closing.get(2 * closeTimeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closeSocket();
        } catch (ExecutionException | TimeoutException e) {
            closeSocket();
        }
    }

    private void closeSocket() {
        if (socket != null) {
            try {
                socket.setSoLinger(true, LINGER_SECONDS);
                socket.close();
            } catch (IOException e) {
                log.debug("Closing the socket to RabbitMQ failed", e);
            }
        }
    }
}
