package io.delayqueue.web.compat;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Prevents filters of the application from reading a body as a form. Clients send JSON with any content type, including
 * that of a form, as {@code curl -d} does. A filter that reads a parameter would then cause the container to consume
 * the body. It also holds back asynchronous responses until the filters have returned. Thread-safe.
 */
public final class RawBodyFilter extends HttpFilter {

    private static final long serialVersionUID = 1L;

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Runnable filtersReturned = AsyncResponse.hold(request);
        try {
            chain.doFilter(new Raw(request), response);
        } finally {
            filtersReturned.run();
        }
    }

    private static final class Raw extends HttpServletRequestWrapper {

        Raw(HttpServletRequest request) {
            super(request);
        }

        @Override
        public String getContentType() {
            return "application/octet-stream";
        }

        @Override
        public @Nullable String getParameter(String name) {
            return null;
        }

        @Override
        public Map<String, String[]> getParameterMap() {
            return Map.of();
        }

        @Override
        public Enumeration<String> getParameterNames() {
            return Collections.emptyEnumeration();
        }

        @Override
        public String @Nullable [] getParameterValues(String name) {
            return null;
        }
    }
}
