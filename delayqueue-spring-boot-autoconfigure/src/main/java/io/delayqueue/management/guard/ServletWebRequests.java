package io.delayqueue.management.guard;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads requests on servlet stacks. */
public final class ServletWebRequests {

    private ServletWebRequests() {}

    /** Returns a view of a request. */
    public static WebRequest of(HttpServletRequest request) {
        return new WebRequest(
                request.getMethod(),
                request.getScheme() + "://" + request.getServerName() + ":" + request.getServerPort(),
                request.getAttribute("jakarta.servlet.request.cipher_suite") != null,
                request.getQueryString(),
                name -> header(request, name));
    }

    private static @Nullable String header(HttpServletRequest request, String name) {
        List<String> values = Collections.list(request.getHeaders(name));
        return values.isEmpty() ? null : String.join(",", values);
    }
}
