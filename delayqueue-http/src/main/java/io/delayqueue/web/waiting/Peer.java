package io.delayqueue.web.waiting;

import io.delayqueue.web.waiting.RequestBodies.BodyState;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.function.Supplier;
import org.springframework.util.ClassUtils;

/**
 * The client at the other end of a connection. May be called only while the request waits and no thread reads from or
 * writes to the connection. Not thread-safe.
 *
 * <p>Over HTTP/1.1, the Servlet API does not report disconnected clients while a request waits, so that Tomcat and Jetty
 * have an implementation each. Over HTTP/2, containers report them to asynchronous listeners, Jetty only if the request
 * is asynchronous by then. In other containers, a disconnected client is detected only when writing its response fails.
 */
@FunctionalInterface
interface Peer {

    boolean TOMCAT = ClassUtils.isPresent("org.apache.catalina.connector.RequestFacade", Peer.class.getClassLoader());
    boolean JETTY =
            ClassUtils.isPresent("org.eclipse.jetty.ee11.servlet.ServletContextRequest", Peer.class.getClassLoader());

    /**
     * Time in which a client can send the rest of its body and read the response before the connection closes. Long
     * enough unless the client is deliberately slow.
     */
    Duration BODY_TIMEOUT = Duration.ofMillis(500);

    /**
     * Returns whether the client has closed the connection. A half-closed connection counts as closed, as in Go's HTTP
     * server: a client that waits for a response keeps it open.
     */
    boolean isDisconnected();

    static Peer of(HttpServletRequest request) {
        ServletRequest innermost = innermost(request);
        boolean http1 = request.getProtocol().startsWith("HTTP/1");
        if (JETTY && JettyPeer.serves(innermost)) {
            return http1 ? JettyPeer.of(innermost) : JettyPeer.ofStream(innermost);
        }
        if (TOMCAT && http1 && TomcatPeer.serves(innermost)) {
            return TomcatPeer.of(innermost);
        }
        return () -> false;
    }

    /**
     * Reads the rest of a request body for at most {@link #BODY_TIMEOUT}. If it is incomplete then, the container closes
     * the connection. Over HTTP/2, the connection does not depend on the unread body.
     */
    static void endUnread(HttpServletRequest request) {
        if (!request.getProtocol().startsWith("HTTP/1")) {
            return;
        }
        ServletRequest innermost = innermost(request);
        if (TOMCAT && TomcatPeer.serves(innermost)) {
            TomcatPeer.endUnread(innermost);
        } else if (JETTY && JettyPeer.serves(innermost)) {
            JettyPeer.endUnread(innermost);
        }
    }

    /** Returns what the container knows about the next part of a body whenever it is asked. */
    static Supplier<BodyState> bodyOf(HttpServletRequest request) {
        ServletRequest innermost = innermost(request);
        if (TOMCAT && TomcatPeer.serves(innermost)) {
            return TomcatPeer.bodyOf(innermost);
        }
        if (JETTY && JettyPeer.serves(innermost)) {
            return JettyPeer.bodyOf(innermost);
        }
        return () -> BodyState.UNKNOWN;
    }

    private static ServletRequest innermost(ServletRequest request) {
        ServletRequest innermost = request;
        while (innermost instanceof ServletRequestWrapper wrapper) {
            innermost = wrapper.getRequest();
        }
        return innermost;
    }
}
