package io.delayqueue.web.waiting;

import jakarta.servlet.ServletRequest;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.RequestFacade;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.coyote.AbstractProcessor;
import org.apache.coyote.ActionCode;
import org.apache.tomcat.util.net.ApplicationBufferHandler;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/**
 * Checks Tomcat's socket. Tomcat does not read from it while the request waits. The socket is reached by reflection on
 * Tomcat's internals. If they differ in a Tomcat version, a warning is logged once and all clients count as connected.
 */
final class TomcatPeer implements Peer {

    private static final Log log = LogFactory.getLog(TomcatPeer.class);

    private static final int BUFFER_SIZE = 1024;

    private static final @Nullable Internals INTERNALS = Internals.find();

    private final SocketWrapperBase<?> socket;

    private TomcatPeer(SocketWrapperBase<?> socket) {
        this.socket = socket;
    }

    /** The path from a servlet request to its socket, by reflection. */
    private record Internals(Field request, Field processor, Method socket) {

        static @Nullable Internals find() {
            try {
                Field request = RequestFacade.class.getDeclaredField("request");
                Field processor = org.apache.coyote.Request.class.getDeclaredField("hook");
                Method socket = AbstractProcessor.class.getDeclaredMethod("getSocketWrapper");
                request.setAccessible(true);
                processor.setAccessible(true);
                socket.setAccessible(true);
                return new Internals(request, processor, socket);
            } catch (ReflectiveOperationException | RuntimeException e) {
                log.warn(
                        "Disconnected clients cannot be detected in this version of Tomcat: messages that are received"
                                + " for a disconnected client are redelivered after their lease",
                        e);
                return null;
            }
        }

        org.apache.coyote.@Nullable Request coyote(ServletRequest facade) {
            Request inner = (Request) ReflectionUtils.getField(request, facade);
            return inner == null ? null : inner.getCoyoteRequest();
        }

        @Nullable
        SocketWrapperBase<?> socket(ServletRequest facade) {
            org.apache.coyote.Request coyote = coyote(facade);
            Object hook = coyote == null ? null : ReflectionUtils.getField(processor, coyote);
            return hook instanceof AbstractProcessor
                    ? (SocketWrapperBase<?>) ReflectionUtils.invokeMethod(socket, hook)
                    : null;
        }
    }

    /** The part that was read last. Tomcat shortens it if the next request has arrived together with the body. */
    private static final class Discarded implements ApplicationBufferHandler {

        private @Nullable ByteBuffer part;

        @Override
        public void setByteBuffer(ByteBuffer buffer) {
            part = buffer;
        }

        @Override
        public @Nullable ByteBuffer getByteBuffer() {
            return part;
        }

        @Override
        public void expand(int size) {
            // keeps no bytes
        }
    }

    static boolean serves(ServletRequest request) {
        return request instanceof RequestFacade;
    }

    static Peer of(ServletRequest request) {
        Internals internals = INTERNALS;
        SocketWrapperBase<?> socket = internals == null ? null : internals.socket(request);
        return socket == null ? () -> false : new TomcatPeer(socket);
    }

    /** Reads the body for a short time. If it is incomplete then, Tomcat does not read the rest. */
    static void endUnread(ServletRequest request) {
        Internals internals = INTERNALS;
        org.apache.coyote.Request coyote = internals == null ? null : internals.coyote(request);
        SocketWrapperBase<?> socket = internals == null ? null : internals.socket(request);
        if (coyote != null && socket != null && !isReadWithin(BODY_TIMEOUT, coyote, socket)) {
            coyote.action(ActionCode.DISABLE_SWALLOW_INPUT, null);
        }
    }

    /** Reads below the servlet stream, which may already be closed. */
    private static boolean isReadWithin(Duration time, org.apache.coyote.Request request, SocketWrapperBase<?> socket) {
        long timeout = socket.getReadTimeout();
        long end = System.nanoTime() + time.toNanos();
        Discarded discarded = new Discarded();
        try {
            while (!request.isFinished()) {
                long left = Duration.ofNanos(end - System.nanoTime()).toMillis();
                if (left <= 0) {
                    return false;
                }
                socket.setReadTimeout(left);
                if (request.doRead(discarded) < 0) {
                    return true;
                }
            }
            return true;
        } catch (IOException e) {
            return false; // timed out, or the client has disconnected
        } finally {
            socket.setReadTimeout(timeout);
        }
    }

    @Override
    public boolean isDisconnected() {
        if (socket.isClosed()) {
            return true;
        }
        try {
            ByteBuffer early = ByteBuffer.allocate(BUFFER_SIZE);
            int read = socket.read(false, early);
            if (read > 0) {
                socket.unRead(early.flip()); // keeps the beginning of a pipelined request
            }
            return read < 0;
        } catch (IOException | RuntimeException e) {
            return true; // closed concurrently
        }
    }
}
