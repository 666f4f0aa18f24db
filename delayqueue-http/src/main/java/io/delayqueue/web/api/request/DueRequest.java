package io.delayqueue.web.api.request;

import io.delayqueue.web.api.json.InvalidRequestException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The due time of a message, as a delay or a date.
 *
 * @param delay time from now, 0 to delayqueue.limits.max-delay
 * @param dueAt date from 2000 on, at most delayqueue.limits.max-delay from now; a past date means immediately
 */
public record DueRequest(@Nullable Duration delay, @Nullable Instant dueAt) implements ApiRequest {

    /** Checks the fields. */
    public DueRequest {
        ApiRequest.checkRange("delay", delay, Duration.ZERO, MAX_DURATION);
        ApiRequest.checkDue(delay, dueAt);
    }

    /** Returns the delay of a request without a date. */
    public Duration delayOrZero() {
        return delay == null ? Duration.ZERO : delay;
    }

    /**
     * Returns this request if it has a due time.
     *
     * @throws InvalidRequestException if both fields are missing
     */
    public DueRequest required() {
        if (delay == null && dueAt == null) {
            throw InvalidRequestException.ofField("delay", "or 'dueAt' is required. Set one of the two.");
        }
        return this;
    }
}
