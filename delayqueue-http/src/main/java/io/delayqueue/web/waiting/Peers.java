package io.delayqueue.web.waiting;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.util.ClassUtils;

/**
 * Detects disconnected clients in Tomcat and Jetty. The Servlet API does not report them while a request waits. In
 * other containers and over HTTP/2, a disconnected client is detected only when writing its response fails.
 */
final class Peers {

    private static final boolean TOMCAT = isPresent("org.apache.catalina.connector.RequestFacade");
    private static final boolean JETTY = isPresent("org.eclipse.jetty.ee11.servlet.ServletContextRequest");

    private Peers() {}

    static Peer of(HttpServletRequest request) {
        if (!request.getProtocol().startsWith("HTTP/1")) {
            return () -> false;
        }
        ServletRequest innermost = innermost(request);
        if (TOMCAT && TomcatPeer.serves(innermost)) {
            return TomcatPeer.of(innermost);
        }
        if (JETTY && JettyPeer.serves(innermost)) {
            return JettyPeer.of(innermost);
        }
        return () -> false;
    }

    /**
     * Stops Tomcat from reading the rest of a request body. Tomcat closes the connection if the body is incomplete.
     * Jetty does so by default, and over HTTP/2 the connection does not depend on the unread body.
     */
    static void endUnread(HttpServletRequest request) {
        ServletRequest innermost = innermost(request);
        if (TOMCAT && TomcatPeer.serves(innermost) && request.getProtocol().startsWith("HTTP/1")) {
            TomcatPeer.endUnread(innermost);
        }
    }

    private static ServletRequest innermost(ServletRequest request) {
        ServletRequest innermost = request;
        while (innermost instanceof ServletRequestWrapper wrapper) {
            innermost = wrapper.getRequest();
        }
        return innermost;
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, Peers.class.getClassLoader());
    }
}
