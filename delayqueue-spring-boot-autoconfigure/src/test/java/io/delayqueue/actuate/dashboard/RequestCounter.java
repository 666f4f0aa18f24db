package io.delayqueue.actuate.dashboard;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Counts the requests of the page to the endpoint. */
final class RequestCounter extends HttpFilter {

    private static final long serialVersionUID = 1L;

    private final AtomicInteger total = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private volatile @Nullable String overviewQuery;

    /** The query of the last request for the overview; null if it had none. */
    @Nullable
    String overviewQuery() {
        return overviewQuery;
    }

    int total() {
        return total.get();
    }

    /** The maximum number of concurrent requests. */
    int maxConcurrent() {
        return most.get();
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request.getRequestURI().contains("delayqueuedashboard")) {
            chain.doFilter(request, response);
            return;
        }
        total.incrementAndGet();
        if (request.getRequestURI().endsWith("/delayqueue")) {
            overviewQuery = request.getQueryString();
        }
        most.accumulateAndGet(running.incrementAndGet(), Math::max);
        try {
            chain.doFilter(request, response);
        } finally {
            running.decrementAndGet();
        }
    }
}
