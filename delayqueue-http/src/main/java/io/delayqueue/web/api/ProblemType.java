package io.delayqueue.web.api;

import io.delayqueue.web.api.response.Problem;
import java.util.Locale;

/** Types of problems. Names and statuses are part of the API and must not change. */
enum ProblemType {
    INVALID_REQUEST(400, "The request is invalid"),
    UNAUTHORIZED(401, "The client is not authenticated"),
    FORBIDDEN(403, "The client is not authorized"),
    NOT_FOUND(404, "Not found"),
    METHOD_NOT_ALLOWED(405, "The method is not supported"),
    SLOW_BODY(408, "The body arrived too slowly"),
    DUPLICATE(409, "A message with this id is live"),
    BEING_HANDLED(409, "The message is being handled"),
    UNREADABLE(409, "The dead letter is unreadable"),
    LEASE_LOST(410, "The lease is no longer valid"),
    TOO_LARGE(413, "The body, a payload or the headers are too large"),
    UNSUPPORTED_MEDIA_TYPE(415, "The body must be sent as JSON"),
    KEY_REUSED(422, "The idempotency key was used with another request"),
    TOO_MANY_REQUESTS(429, "The client sends too many requests"),
    TOO_MANY_WAITING(429, "Too many clients are waiting"),
    TOPIC_FULL(429, "The topic is full"),
    TOO_MANY_JOBS(429, "Too many jobs wait or run"),
    FAILED(500, "The server failed"),
    UNAVAILABLE(503, "Redis did not execute the request"),
    OUTCOME_UNKNOWN(504, "The outcome is unknown");

    private static final String PREFIX = "urn:delayqueue:problem:";

    private final int status;
    private final String title;

    ProblemType(int status, String title) {
        this.status = status;
        this.title = title;
    }

    int status() {
        return status;
    }

    String uri() {
        return PREFIX + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Creates a problem of this type.
     *
     * @param detail what is wrong, where, and what to do
     */
    Problem problem(String detail) {
        return new Problem(uri(), title, status, detail, null, null, null);
    }

    ProblemException exception(String detail) {
        return new ProblemException(problem(detail));
    }
}
