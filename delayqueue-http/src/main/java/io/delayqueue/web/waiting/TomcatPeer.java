package io.delayqueue.web.waiting;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.delayqueue.web.waiting.RequestBodies.BodyState;
import jakarta.servlet.ServletRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.catalina.connector.RequestFacade;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.coyote.ActionCode;
import org.apache.coyote.Request;
import org.apache.tomcat.util.net.ApplicationBufferHandler;
import org.jspecify.annotations.Nullable;

/**
 * Lets Tomcat read from the socket without blocking. Tomcat itself does not read from it while the request waits. Needs a
 * {@link TomcatRequestValve}. Without it, a warning is logged once and all clients count as connected.
 */
final class TomcatPeer implements Peer {

    private static final Log log = LogFactory.getLog(TomcatPeer.class);

    /** Interval at which the rest of a body is read. */
    private static final Duration READ_INTERVAL = Duration.ofMillis(5);

    private static final String CRLF = "\r\n";

    /** Longer sizes are those of no body that arrives at once. */
    private static final Pattern CHUNK_HEAD = Pattern.compile("([0-9a-fA-F]{1,7})" + CRLF);

    private static final AtomicBoolean WARNED = new AtomicBoolean();

    private final Request request;

    private TomcatPeer(Request request) {
        this.request = request;
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

    static Peer of(ServletRequest facade) {
        Request request = requestOf(facade);
        return request == null ? () -> false : new TomcatPeer(request);
    }

    private static @Nullable Request requestOf(ServletRequest facade) {
        Request request = TomcatRequestValve.requestOf(facade);
        if (request == null && !WARNED.getAndSet(true)) {
            log.warn(
                    "Disconnected clients cannot be detected, because Spring Boot did not create this Tomcat or does not"
                            + " customize it: messages that are received for a disconnected client are redelivered after their"
                            + " lease");
        }
        return request;
    }

    /** Reads the body for a short time. If it is incomplete then, Tomcat does not read the rest. */
    static void endUnread(ServletRequest facade) {
        Request request = requestOf(facade);
        if (request != null && !isRead(request)) {
            request.action(ActionCode.DISABLE_SWALLOW_INPUT, null);
        }
    }

    /** Tomcat cannot read a part of a chunked body over HTTP/1.1 without blocking, unless the whole body has arrived. */
    static Supplier<BodyState> bodyOf(ServletRequest facade) {
        Request request = requestOf(facade);
        if (request == null) {
            return () -> BodyState.UNKNOWN;
        }
        boolean chunked =
                request.getContentLengthLong() < 0 && request.getInputBuffer() instanceof ApplicationBufferHandler;
        AtomicBoolean whole = new AtomicBoolean();
        return () -> {
            if (whole.get() || request.isFinished()) {
                return BodyState.ARRIVED;
            }
            if (available(request, true) == 0) {
                return BodyState.AWAITED;
            }
            if (chunked && !(request.getBytesRead() == 0 && isWholeBody(request))) {
                return BodyState.UNKNOWN;
            }
            whole.set(chunked);
            return BodyState.ARRIVED;
        };
    }

    /** Reads below the servlet stream, which may already be closed. Never waits for the socket. */
    private static boolean isRead(Request request) {
        boolean chunked = request.getContentLengthLong() < 0;
        boolean fromBegin = request.getBytesRead() == 0;
        long end = System.nanoTime() + BODY_TIMEOUT.toNanos();
        Discarded discarded = new Discarded();
        try {
            while (!request.isFinished()) {
                if (available(request, true) > 0) {
                    // Tomcat would wait for the rest of a chunk's header as long as for the next request
                    boolean first = request.getBytesRead() == 0;
                    if (chunked && !(first ? isWholeBody(request) : fromBegin)) {
                        return false;
                    }
                    if (request.doRead(discarded) < 0) {
                        return true;
                    }
                } else if (System.nanoTime() - end < 0) {
                    LockSupport.parkNanos(READ_INTERVAL.toNanos());
                } else {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            return false; // malformed, or the client has disconnected
        }
    }

    /** Returns whether Tomcat's buffer begins with a whole chunked body without extensions and trailers. */
    private static boolean isWholeBody(Request request) {
        if (!(request.getInputBuffer() instanceof ApplicationBufferHandler buffer)) {
            return false;
        }
        String text = ISO_8859_1.decode(buffer.getByteBuffer().duplicate()).toString();
        for (int at = 0; ; ) {
            Matcher head = CHUNK_HEAD.matcher(text).region(at, text.length());
            if (!head.lookingAt()) {
                return false;
            }
            int size = Integer.parseInt(head.group(1), 16);
            if (!text.startsWith(CRLF, head.end() + size)) {
                return false;
            }
            if (size == 0) {
                return true;
            }
            at = head.end() + size + CRLF.length();
        }
    }

    @Override
    public boolean isDisconnected() {
        if (!(request.getInputBuffer() instanceof ApplicationBufferHandler buffer)) {
            return false;
        }
        ByteBuffer bytes = buffer.getByteBuffer();
        if (bytes.hasRemaining() || available(request, false) > 0) {
            return false; // the next request has begun
        }
        ByteBuffer early = ByteBuffer.allocate(bytes.capacity()).limit(0);
        // Tomcat reads into the buffer that it had before the body. It may end with the begin of the next request.
        buffer.setByteBuffer(early);
        try {
            return available(request, true) > 0 && !early.hasRemaining();
        } finally {
            buffer.setByteBuffer(early.hasRemaining() ? joined(bytes, early) : bytes);
        }
    }

    /** Appends to the bytes that Tomcat has already read. */
    private static ByteBuffer joined(ByteBuffer bytes, ByteBuffer early) {
        int limit = bytes.limit();
        int end = limit + early.remaining();
        ByteBuffer joined = ByteBuffer.allocate(Math.max(bytes.capacity(), end));
        joined.put(0, bytes, 0, limit).put(limit, early, early.position(), early.remaining());
        return joined.position(bytes.position()).limit(end);
    }

    /** Returns the number of bytes that can be read, or 1 if reading fails. */
    private static int available(Request request, boolean readsFromSocket) {
        request.action(ActionCode.AVAILABLE, readsFromSocket);
        return request.getAvailable();
    }
}
