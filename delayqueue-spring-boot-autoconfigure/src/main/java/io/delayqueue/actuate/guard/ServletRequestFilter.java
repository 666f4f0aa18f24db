package io.delayqueue.actuate.guard;

import io.delayqueue.management.guard.ServletWebRequests;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.core.Ordered;

/** Applies the {@link RequestGuard} on servlet stacks. */
public final class ServletRequestFilter extends HttpFilter implements Ordered {

    private static final long serialVersionUID = 1L;

    private final transient RequestGuard guard;

    /** Creates the filter. */
    public ServletRequestFilter(RequestGuard guard) {
        this.guard = guard;
    }

    /** Returns an order after the filter of forwarded headers and before the filters of Spring Security. */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE + 100;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!guard.guards(pathInServlet(request))) {
            chain.doFilter(request, response);
            return;
        }
        RequestGuard.HEADERS.forEach(response::setHeader);
        RejectionResponse rejection = guard.check(ServletWebRequests.of(request));
        if (rejection == null) {
            chain.doFilter(request, new ExplainingResponse(response, request.getMethod()));
        } else {
            reject(response, rejection);
        }
    }

    static void reject(HttpServletResponse response, RejectionResponse rejection) throws IOException {
        response.setStatus(rejection.status());
        response.setContentType(RejectionResponse.CONTENT_TYPE);
        response.getOutputStream().write(rejection.body());
    }

    /** Returns the decoded path after the prefix to which the servlet is mapped. */
    static String pathInServlet(HttpServletRequest request) {
        String path = request.getPathInfo();
        return path == null ? request.getServletPath() : path;
    }
}
