package io.delayqueue.web.compat;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Holds back asynchronous responses until the filters of the application have returned. Thread-safe. */
public final class HeldResponseFilter extends HttpFilter {

    private static final long serialVersionUID = 1L;

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Runnable filtersReturned = AsyncResponse.hold(request);
        try {
            chain.doFilter(request, response);
        } finally {
            filtersReturned.run();
        }
    }
}
