package io.delayqueue.web.waiting;

import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.springframework.util.ClassUtils;

/**
 * The body of a request, as its container knows it. The Servlet API does not tell a request thread whether a read blocks,
 * so that Tomcat and Jetty have an implementation each. In other containers, any read may block. Not thread-safe.
 */
@FunctionalInterface
interface IncomingBody {

    boolean TOMCAT =
            ClassUtils.isPresent("org.apache.catalina.connector.RequestFacade", IncomingBody.class.getClassLoader());
    boolean JETTY =
            ClassUtils.isPresent("org.eclipse.jetty.ee11.servlet.HttpInput", IncomingBody.class.getClassLoader());

    /** Time in which usual bodies have arrived, and in which the rest of a rejected body must arrive. */
    Duration USUAL_TIME = Duration.ofMillis(500);

    /** Interval at which the rest of a body is read. */
    Duration READ_INTERVAL = Duration.ofMillis(5);

    /** What is known about the next read. */
    enum State {
        /** It does not block: bytes, or the end of the body, have arrived. */
        ARRIVED,
        /** It would block. */
        AWAITED,
        /** It may block until the container's own timeout. */
        UNKNOWN
    }

    /** Returns what is known about the next read now. */
    State state() throws IOException;

    /** Reads a part and discards it. Returns false at the end of the body, or if the container does that itself. */
    default boolean discardPart() throws IOException {
        return false;
    }

    /** Makes the container close the connection after the response instead of reading the rest of the body. */
    default void abandon() {}

    static IncomingBody of(HttpServletRequest request) throws IOException {
        ServletRequest innermost = request;
        while (innermost instanceof ServletRequestWrapper wrapper) {
            innermost = wrapper.getRequest();
        }
        ServletInputStream in = innermost.getInputStream();
        if (TOMCAT && TomcatBody.serves(innermost)) {
            return new TomcatBody(innermost, in);
        }
        if (JETTY && JettyBody.serves(in)) {
            return new JettyBody(request, in);
        }
        return () -> in.available() > 0 ? State.ARRIVED : State.UNKNOWN;
    }

    /**
     * Reads the rest of a body for at most {@link #USUAL_TIME}. If it is incomplete then, the connection is closed. Over
     * HTTP/2, the connection does not depend on the unread body.
     */
    static void discard(HttpServletRequest request) {
        if (!request.getProtocol().startsWith("HTTP/1")) {
            return;
        }
        try {
            IncomingBody body = of(request);
            if (!body.isDiscarded()) {
                body.abandon();
            }
        } catch (IOException | IllegalStateException e) {
            // a filter has called getReader()
        }
    }

    private boolean isDiscarded() {
        long end = System.nanoTime() + USUAL_TIME.toNanos();
        try {
            for (State state = state(); state != State.UNKNOWN; state = state()) {
                if (state == State.ARRIVED && !discardPart()) {
                    return true;
                }
                if (System.nanoTime() - end >= 0) {
                    return false;
                }
                if (state == State.AWAITED) {
                    LockSupport.parkNanos(READ_INTERVAL.toNanos());
                }
            }
            return false;
        } catch (IOException e) {
            return false; // malformed, or the client has disconnected
        }
    }
}
