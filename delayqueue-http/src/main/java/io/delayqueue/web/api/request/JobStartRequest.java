package io.delayqueue.web.api.request;

import io.delayqueue.admin.DeadLetterFilter;
import io.delayqueue.admin.JobAction;
import io.delayqueue.admin.JobRequest;
import io.delayqueue.web.api.json.InvalidRequestException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Starts a job.
 *
 * @param action replay or purge dead letters; run, cancel or move messages; pause or resume the topic
 * @param cause cause of the dead letters, spelled as in their group; by default any
 * @param exceptionType exception type of the dead letters; by default any
 * @param shape shape of the message of the exception; by default any
 * @param from earliest time of dead-lettering, inclusive; by default any
 * @param until latest time of dead-lettering, inclusive; by default any
 * @param delay delay of replayed messages, 0 to delayqueue.limits.max-delay; by default 0
 * @param perSecond maximum number of messages per second, 1 to 100,000; by default unlimited
 * @param target the topic to which messages are moved; required for move
 * @param startAt when the job begins, between 2000 and 9999; by default at once
 */
public record JobStartRequest(
        @Nullable JobAction action,
        @Nullable String cause,
        @Nullable String exceptionType,
        @Nullable String shape,
        @Nullable Instant from,
        @Nullable Instant until,
        @Nullable Duration delay,
        @Nullable Integer perSecond,
        @Nullable String target,
        @Nullable Instant startAt)
        implements ApiRequest {

    /** Checks the fields. */
    public JobStartRequest {
        ApiRequest.checkPositive("perSecond", perSecond);
        if (perSecond != null && perSecond > JobRequest.MAX_PER_SECOND) {
            throw InvalidRequestException.ofField(
                    "perSecond", "must be at most " + JobRequest.MAX_PER_SECOND + ", but was " + perSecond + ".");
        }
        ApiRequest.checkRange("delay", delay, Duration.ZERO, MAX_DURATION);
        if (action == null) {
            throw InvalidRequestException.ofField("action", "is missing.");
        }
    }

    /**
     * Returns the request of the job.
     *
     * @param by name of the user who requests it
     * @throws IllegalArgumentException if an option does not belong to the action
     */
    public JobRequest of(String topic, String by) {
        if (action == null) {
            throw InvalidRequestException.ofField("action", "is missing.");
        }
        return new JobRequest(
                action,
                topic,
                new DeadLetterFilter(cause, exceptionType, shape, from, until),
                delay == null ? Duration.ZERO : delay,
                perSecond == null ? 0 : perSecond,
                target,
                startAt,
                by);
    }
}
