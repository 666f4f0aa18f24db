package io.delayqueue.web.guard;

import java.util.Locale;

/** Reasons for which a request is rejected before it is executed. */
public enum Rejection {

    /** The token is missing or unknown. */
    UNAUTHORIZED(401),

    /** The client has no permission for the operation or no access to the topic, or may not create the topic. */
    FORBIDDEN(403),

    /** The body did not arrive in time, or too many bodies of the client arrive slowly. */
    SLOW_BODY(408),

    /** The body, a payload or the headers are too large. */
    TOO_LARGE(413),

    /** The client sends more requests per second than its limit permits. */
    TOO_MANY_REQUESTS(429),

    /** The maximum number of clients already waits. */
    TOO_MANY_WAITING(429);

    private final int status;

    Rejection(int status) {
        this.status = status;
    }

    /** Returns the HTTP status of the response. */
    public int status() {
        return status;
    }

    /** Returns the value of the tag {@code reason} of meters. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
