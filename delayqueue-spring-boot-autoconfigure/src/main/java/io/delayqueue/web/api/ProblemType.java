package io.delayqueue.web.api;

import io.delayqueue.web.api.answer.Problem;
import java.util.Locale;

/** The kinds of problems. Their names and statuses stay: programs tell problems apart by them. */
enum ProblemType {
    INVALID_REQUEST(400, "The request can't be understood"),
    UNAUTHORIZED(401, "The client is not known"),
    FORBIDDEN(403, "The client may not do this"),
    NOT_FOUND(404, "There is no such thing"),
    METHOD_NOT_ALLOWED(405, "This can't be done here"),
    DUPLICATE(409, "A message of that id is live"),
    BEING_HANDLED(409, "The message is being handled"),
    UNREADABLE(409, "This version can't read it"),
    LEASE_GONE(410, "The message is not live under this lease"),
    TOO_LARGE(413, "The body or a payload is too large"),
    UNSUPPORTED_MEDIA_TYPE(415, "The body is not sent as JSON"),
    KEY_REUSED(422, "The idempotency key was used with another request"),
    TOO_MANY_WAITING(429, "Too many clients are waiting"),
    FAILED(500, "The server failed"),
    UNAVAILABLE(503, "Redis did not do it"),
    OUTCOME_UNKNOWN(504, "Nobody knows whether it is done");

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
     * One of this kind.
     *
     * @param detail what was wrong, where, and what to do
     */
    Problem problem(String detail) {
        return new Problem(uri(), title, status, detail, null, null);
    }

    ProblemException exception(String detail) {
        return new ProblemException(problem(detail));
    }
}
