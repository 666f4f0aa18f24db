package io.delayqueue.web.waiting;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Reads the rest of the body of a request whose response was written before the body was read, for example because the
 * token was rejected or the body is too large. Reads for a limited time: Tomcat would occupy a request thread for as
 * long as the client sends, and Jetty would close the connection at once. Thread-safe.
 */
public final class UnreadBodyFilter extends HttpFilter {

    private static final long serialVersionUID = 1L;

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        try {
            chain.doFilter(request, response);
        } finally {
            // the body of an asynchronous request has already been read
            if (!request.isAsyncStarted()) {
                Peer.endUnread(request);
            }
        }
    }
}
