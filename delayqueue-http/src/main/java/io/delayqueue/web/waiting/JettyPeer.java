package io.delayqueue.web.waiting;

import io.delayqueue.web.waiting.RequestBodies.BodyState;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.eclipse.jetty.ee11.servlet.HttpInput;
import org.eclipse.jetty.ee11.servlet.ServletApiRequest;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;

/**
 * Checks Jetty's end point. Jetty does not read from it while the request waits. The bytes that Jetty has read already are
 * reached as a connection's upgrade reaches them. Over HTTP/2, checks the stream.
 */
final class JettyPeer implements Peer {

    private static final int BUFFER_SIZE = 1024;

    /** Interval at which the rest of a body is read. */
    private static final Duration READ_INTERVAL = Duration.ofMillis(5);

    private final Connection connection;

    private JettyPeer(Connection connection) {
        this.connection = connection;
    }

    static boolean serves(ServletRequest request) {
        return request instanceof ServletApiRequest;
    }

    static Peer of(ServletRequest request) {
        return new JettyPeer(ServletContextRequest.getServletContextRequest(request)
                .getConnectionMetaData()
                .getConnection());
    }

    /**
     * A client over HTTP/2. Jetty reports the end of its stream to the request, unless it happens before the request is
     * asynchronous. Then only a read fails.
     */
    static Peer ofStream(ServletRequest request) {
        Request inner = ServletContextRequest.getServletContextRequest(request);
        return () -> {
            try {
                Content.Chunk end = inner.read();
                if (end == null) {
                    return false;
                }
                end.release();
                return Content.Chunk.isFailure(end);
            } catch (RuntimeException e) {
                return true; // ended concurrently
            }
        };
    }

    /**
     * Reads the body below the servlet stream, which may already be closed. Jetty itself reads only what has arrived
     * when the request ends, and then closes the connection, without an announcement if the response was committed.
     */
    static void endUnread(ServletRequest request) {
        Request inner = ServletContextRequest.getServletContextRequest(request);
        long end = System.nanoTime() + BODY_TIMEOUT.toNanos();
        while (System.nanoTime() - end < 0) {
            Content.Chunk chunk = inner.read();
            if (chunk == null) {
                LockSupport.parkNanos(READ_INTERVAL.toNanos());
                continue;
            }
            chunk.release();
            if (chunk.isLast()) {
                return;
            }
        }
    }

    /** Jetty asks a client that expects it to send the body only when a read blocks. */
    static Supplier<BodyState> bodyOf(ServletRequest request) {
        if (request instanceof HttpServletRequest http && http.getHeader("Expect") != null) {
            return () -> BodyState.UNKNOWN;
        }
        return () -> {
            try {
                // available() reads without blocking; then there is content, or the end of the body
                return !(request.getInputStream() instanceof HttpInput in)
                                || in.available() > 0
                                || in.hasContent()
                                || in.isFinished()
                        ? BodyState.ARRIVED
                        : BodyState.AWAITED;
            } catch (IOException e) {
                return BodyState.ARRIVED; // a read fails, too
            }
        };
    }

    @Override
    public boolean isDisconnected() {
        EndPoint endPoint = connection.getEndPoint();
        if (!endPoint.isOpen() || endPoint.isInputShutdown()) {
            return true;
        }
        if (!(connection instanceof Connection.UpgradeFrom from) || !(connection instanceof Connection.UpgradeTo to)) {
            return false;
        }
        try {
            ByteBuffer arrived = from.onUpgradeFrom();
            if (arrived != null && arrived.hasRemaining()) {
                to.onUpgradeTo(arrived); // the next request has begun
                return false;
            }
            ByteBuffer early = ByteBuffer.allocate(BUFFER_SIZE).limit(0);
            int read = endPoint.fill(early);
            if (read > 0) {
                to.onUpgradeTo(early); // keeps the beginning of a pipelined request
            }
            return read < 0;
        } catch (IOException | RuntimeException e) {
            return true; // closed concurrently
        }
    }
}
