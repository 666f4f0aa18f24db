package io.delayqueue.web.api.request;

import io.delayqueue.web.api.json.Fields;
import io.delayqueue.web.api.json.InvalidBodyException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Says when a message is to be due, by one of the two.
 *
 * @param delay from now on
 * @param dueAt a date; one that has passed means at once
 */
public record DueRequest(@Nullable Duration delay, @Nullable Instant dueAt) implements ApiRequest {

    static DueRequest read(Fields fields) {
        DueRequest request = new DueRequest(fields.duration("delay", Duration.ZERO, LONGEST), fields.date("dueAt"));
        fields.end();
        if (request.delay != null && request.dueAt != null) {
            throw fields.objection("dueAt", "stands beside 'delay': give one of the two.");
        }
        return request;
    }

    /**
     * Insists that something is said.
     *
     * @throws InvalidBodyException if nothing is
     */
    public DueRequest required() {
        if (delay == null && dueAt == null) {
            throw new InvalidBodyException("The field 'delay' is missing, or 'dueAt': give one of the two.");
        }
        return this;
    }
}
