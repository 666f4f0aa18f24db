package io.delayqueue.web.api.response;

import io.delayqueue.admin.Job;
import io.delayqueue.admin.JobAction;
import io.delayqueue.admin.JobRequest;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A job. Times are by Redis' clock.
 *
 * @param id the id
 * @param action replay, purge, run, cancel, move, pause or resume
 * @param topic the topic
 * @param cause cause of the dead letters; omitted for any
 * @param exceptionType exception type of the dead letters; omitted for any
 * @param shape shape of the message of the exception; omitted for any
 * @param from earliest time of dead-lettering, inclusive; omitted for any
 * @param until latest time of dead-lettering, inclusive; omitted for any
 * @param delayMillis delay of replayed messages, in milliseconds
 * @param perSecond maximum number of messages per second; 0 for no limit
 * @param target the topic to which messages are moved; omitted for other actions, or if the client has no access to it
 * @param startAt when it begins; omitted if at once
 * @param by name of the user who requested it; omitted if unknown
 * @param state waiting, running, finished, stopped or failed
 * @param expected number of messages or dead letters on which it would have acted when it was requested
 * @param done number of messages or dead letters on which it acted
 * @param kept number of messages or dead letters on which it could not act
 * @param requestedAt when it was requested
 * @param updatedAt when it last made progress or ended
 * @param failure why it failed, or why it waits until a call of Redis succeeds; omitted otherwise, or if the client has
 *     no access to the target
 */
public record JobResponse(
        String id,
        JobAction action,
        String topic,
        @Nullable String cause,
        @Nullable String exceptionType,
        @Nullable String shape,
        @Nullable Instant from,
        @Nullable Instant until,
        long delayMillis,
        int perSecond,
        @Nullable String target,
        @Nullable Instant startAt,
        @Nullable String by,
        Job.State state,
        long expected,
        long done,
        long kept,
        Instant requestedAt,
        Instant updatedAt,
        @Nullable String failure) {

    /**
     * Creates the response of a job.
     *
     * @param permitted the topics to which the client has access, which include that of the job
     */
    public static JobResponse of(Job job, Predicate<String> permitted) {
        JobRequest request = job.request();
        boolean hidesTarget = request.target() != null && !permitted.test(request.target());
        return new JobResponse(
                job.id(),
                request.action(),
                request.topic(),
                request.filter().cause(),
                request.filter().exceptionType(),
                request.filter().shape(),
                request.filter().from(),
                request.filter().until(),
                request.delay().toMillis(),
                request.perSecond(),
                hidesTarget ? null : request.target(),
                request.startAt(),
                request.by().isEmpty() ? null : request.by(),
                job.state(),
                job.expected(),
                job.done(),
                job.kept(),
                job.requestedAt(),
                job.updatedAt(),
                hidesTarget ? null : job.failure());
    }

    /**
     * Jobs that wait, run, or ended within the last day.
     *
     * @param jobs the latest first
     */
    public record Jobs(List<JobResponse> jobs) {

        /** Copies the jobs. */
        public Jobs {
            jobs = List.copyOf(jobs);
        }
    }

    /**
     * The effect of a job, if it began now.
     *
     * @param expected number of messages or dead letters; 1 for pause and resume
     */
    public record JobPreview(long expected) {}
}
