package io.delayqueue.web.guard;

import io.delayqueue.management.guard.Client;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Warns once if a request with a known token is rejected before it reaches the HTTP interface, as Spring Security does
 * unless a chain permits it. The response of Spring Security has no body, and nothing is logged. Thread-safe.
 */
public final class RejectedTokenFilter extends HttpFilter {

    private static final long serialVersionUID = 1L;

    private static final Log log = LogFactory.getLog(RejectedTokenFilter.class);

    private final transient AccessGuard guard;
    private final String paths;
    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * Creates a filter, which must run before those that reject requests.
     *
     * @param paths patterns of the paths of the HTTP interfaces
     */
    public RejectedTokenFilter(AccessGuard guard, List<String> paths) {
        this.guard = guard;
        this.paths = "\"" + String.join("\", \"", paths) + "\"";
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        chain.doFilter(request, response);
        int status = response.getStatus();
        boolean rejected = status == HttpServletResponse.SC_UNAUTHORIZED || status == HttpServletResponse.SC_FORBIDDEN;
        if (!rejected || !RequestFacts.operation(request).equals(RequestFacts.NO_OPERATION) || warned.get()) {
            return;
        }
        Client client = guard.clientOf(request);
        if (client != null && !warned.getAndSet(true)) {
            log.warn("The application's security rejected a request of client '" + client.name() + "' with status "
                    + status
                    + " before it reached the HTTP interface, which checks tokens of delayqueue.http.clients itself."
                    + " Add a SecurityFilterChain with securityMatcher(" + paths + ") that permits all requests"
                    + " (anyRequest().permitAll()) and disables CSRF protection (csrf.disable())."
                    + " Further such requests are not logged.");
        }
    }
}
