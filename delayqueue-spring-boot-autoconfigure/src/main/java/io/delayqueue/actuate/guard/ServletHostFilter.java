package io.delayqueue.actuate.guard;

import io.delayqueue.management.guard.ServletWebRequests;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.core.Ordered;

/** Rejects requests of pages of other sites by their host on servlet stacks, unless they are authenticated. */
public final class ServletHostFilter extends HttpFilter implements Ordered {

    private static final long serialVersionUID = 1L;

    private final transient RequestGuard guard;

    /** Creates the filter. */
    public ServletHostFilter(RequestGuard guard) {
        this.guard = guard;
    }

    /** Returns an order after the filters of Spring Security. */
    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (guard.guards(ServletRequestFilter.pathInServlet(request))
                && request.getUserPrincipal() == null
                && guard.rejectsHostOf(ServletWebRequests.of(request))) {
            ServletRequestFilter.reject(response, RejectionResponse.UNKNOWN_HOST);
        } else {
            chain.doFilter(request, response);
        }
    }
}
