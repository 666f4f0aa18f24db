package io.delayqueue.web.waiting;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URLDecoder;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Prevents that a body is read before the client is authorized, or for longer than {@link RequestBodies} permits.
 * Thread-safe.
 *
 * <p>To filters of the application and to Spring MVC, a body is neither a form nor multipart. Otherwise a filter that
 * reads a parameter would cause the container to wait for the body. The header {@code Content-Type} is unchanged.
 *
 * <p>Reads the rest of the body of a request whose response was written before the body was read, for example because the
 * token was rejected or the body is too large. Reads for a limited time: Tomcat would occupy a request thread for as
 * long as the client sends, and Jetty would close the connection at once.
 */
public final class UnreadBodyFilter extends HttpFilter {

    private static final long serialVersionUID = 1L;

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        try {
            chain.doFilter(new Raw(request), response);
        } finally {
            // the body of an asynchronous request has already been read
            if (!request.isAsyncStarted()) {
                IncomingBody.discard(request);
            }
        }
    }

    /** A request whose parameters are only those of the query. */
    private static final class Raw extends HttpServletRequestWrapper {

        private @Nullable Map<String, String[]> parameters;

        Raw(HttpServletRequest request) {
            super(request);
        }

        @Override
        public String getContentType() {
            return "application/octet-stream";
        }

        @Override
        public @Nullable String getParameter(String name) {
            String[] values = getParameterValues(name);
            return values == null ? null : values[0];
        }

        @Override
        public Map<String, String[]> getParameterMap() {
            Map<String, String[]> known = parameters;
            if (known == null) {
                known = Collections.unmodifiableMap(ofQuery(getQueryString()));
                parameters = known;
            }
            return known;
        }

        @Override
        public Enumeration<String> getParameterNames() {
            return Collections.enumeration(getParameterMap().keySet());
        }

        @Override
        public String @Nullable [] getParameterValues(String name) {
            return getParameterMap().get(name);
        }

        private static Map<String, String[]> ofQuery(@Nullable String query) {
            Map<String, String[]> parameters = new LinkedHashMap<>();
            for (String each : query == null ? new String[0] : query.split("&")) {
                int equals = each.indexOf('=');
                String name = decode(equals < 0 ? each : each.substring(0, equals));
                if (!name.isEmpty()) {
                    parameters.putIfAbsent(name, new String[] {equals < 0 ? "" : decode(each.substring(equals + 1))});
                }
            }
            return parameters;
        }

        private static String decode(String text) {
            try {
                return URLDecoder.decode(text, UTF_8);
            } catch (IllegalArgumentException e) {
                return "";
            }
        }
    }
}
