package io.delayqueue.web.waiting;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.util.ClassUtils;

/**
 * Knows how to ask a servlet container whether a client has hung up: the Servlet API doesn't tell while a request waits.
 * Elsewhere, and over HTTP/2, a client that hung up is only noticed by the answer that can't be written.
 */
final class Peers {

    private static final boolean TOMCAT = isPresent("org.apache.catalina.connector.RequestFacade");
    private static final boolean JETTY = isPresent("org.eclipse.jetty.ee11.servlet.ServletContextRequest");

    private Peers() {}

    static Peer of(HttpServletRequest request) {
        if (!request.getProtocol().startsWith("HTTP/1")) {
            return () -> false;
        }
        ServletRequest innermost = request;
        while (innermost instanceof ServletRequestWrapper wrapper) {
            innermost = wrapper.getRequest();
        }
        if (TOMCAT && TomcatPeer.serves(innermost)) {
            return TomcatPeer.of(innermost);
        }
        if (JETTY && JettyPeer.serves(innermost)) {
            return JettyPeer.of(innermost);
        }
        return () -> false;
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, Peers.class.getClassLoader());
    }
}
