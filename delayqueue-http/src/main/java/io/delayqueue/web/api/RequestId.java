package io.delayqueue.web.api;

import jakarta.servlet.http.HttpServletRequest;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The id of a request, by which a client finds its request in the log. It is the client's id if that has 1 to 128 visible
 * ASCII characters. Otherwise it is generated.
 */
final class RequestId {

    static final String HEADER = "X-Request-Id";

    private static final String ATTRIBUTE = RequestId.class.getName();
    private static final Pattern VALID = Pattern.compile("[!-~]{1,128}");

    private RequestId() {}

    /** Returns the id of a request. It remains the same in asynchronous dispatches. */
    static String of(HttpServletRequest request) {
        if (request.getAttribute(ATTRIBUTE) instanceof String known) {
            return known;
        }
        String given = request.getHeader(HEADER);
        String id = given != null && VALID.matcher(given).matches()
                ? given
                : UUID.randomUUID().toString();
        request.setAttribute(ATTRIBUTE, id);
        return id;
    }
}
