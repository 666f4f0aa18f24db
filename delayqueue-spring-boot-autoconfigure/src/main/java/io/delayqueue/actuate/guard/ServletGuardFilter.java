package io.delayqueue.actuate.guard;

import io.delayqueue.actuate.guard.EndpointGuard.Position;
import io.delayqueue.management.guard.Rejection;
import io.delayqueue.management.guard.ServletWebRequests;
import io.delayqueue.management.guard.WebRequest;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;

/** Applies the {@link EndpointGuard} on servlet stacks. */
public final class ServletGuardFilter extends HttpFilter implements Ordered {

    private static final long serialVersionUID = 1L;

    private final transient EndpointGuard guard;
    private final Position position;

    /** Creates the filter of a position. */
    public ServletGuardFilter(EndpointGuard guard, Position position) {
        this.guard = guard;
        this.position = position;
    }

    @Override
    public int getOrder() {
        return position.order();
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!guard.guards(pathInServlet(request))) {
            chain.doFilter(request, response);
            return;
        }
        WebRequest facts = ServletWebRequests.of(request);
        if (position == Position.AFTER_SECURITY) {
            boolean authenticated = request.getUserPrincipal() != null;
            proceed(guard.policy().checkHost(facts, authenticated), request, response, chain);
        } else {
            EndpointGuard.HEADERS.forEach(response::setHeader);
            HttpServletResponse explaining = new ExplainingResponse(response, request.getMethod());
            proceed(guard.policy().checkAction(facts), request, explaining, chain);
        }
    }

    private static void proceed(
            @Nullable Rejection rejection, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (rejection == null) {
            chain.doFilter(request, response);
        } else {
            reject(response, rejection);
        }
    }

    /** Returns the decoded path after the prefix to which the servlet is mapped. */
    private static String pathInServlet(HttpServletRequest request) {
        String path = request.getPathInfo();
        return path == null ? request.getServletPath() : path;
    }

    private static void reject(HttpServletResponse response, Rejection rejection) throws IOException {
        response.setStatus(rejection.status());
        response.setContentType(EndpointGuard.CONTENT_TYPE);
        response.getOutputStream().write(EndpointGuard.body(rejection));
    }

    /** Replaces the server's error page with the explanation of the status, if there is one. */
    private static final class ExplainingResponse extends HttpServletResponseWrapper {

        private final String method;

        ExplainingResponse(HttpServletResponse response, String method) {
            super(response);
            this.method = method;
        }

        @Override
        public void sendError(int status) throws IOException {
            if (!isExplained(status)) {
                super.sendError(status);
            }
        }

        @Override
        public void sendError(int status, @Nullable String message) throws IOException {
            if (!isExplained(status)) {
                super.sendError(status, message);
            }
        }

        private boolean isExplained(int status) throws IOException {
            Rejection explanation = isCommitted() ? null : EndpointGuard.explain(method, status);
            if (explanation == null) {
                return false;
            }
            resetBuffer();
            reject(this, explanation);
            return true;
        }
    }
}
