package io.delayqueue.web.guard;

import io.delayqueue.management.guard.Rejection;
import java.util.Locale;

/** Reasons for which a request is rejected before it is executed. */
public enum RejectionReason {

    /** The token is missing or unknown. */
    UNAUTHORIZED,

    /** The client has no permission for the operation or no access to the topic, or may not create the topic. */
    FORBIDDEN,

    /** The body did not arrive in time, or too many bodies of the client arrive slowly. */
    SLOW_BODY,

    /** The body, a payload or the headers are too large. */
    TOO_LARGE,

    /** The client sends more requests per second than its limit permits. */
    TOO_MANY_REQUESTS,

    /** The maximum number of clients already waits. */
    TOO_MANY_WAITING;

    /** Returns the reason of a rejection by the policy. */
    public static RejectionReason of(Rejection rejection) {
        return switch (rejection.status()) {
            case 401 -> UNAUTHORIZED;
            case 429 -> TOO_MANY_REQUESTS;
            default -> FORBIDDEN;
        };
    }

    /** Returns the value of the tag {@code reason} of meters. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
