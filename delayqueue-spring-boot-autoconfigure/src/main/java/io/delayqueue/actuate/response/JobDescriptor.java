package io.delayqueue.actuate.response;

import io.delayqueue.admin.Job;
import io.delayqueue.admin.JobRequest;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A job.
 *
 * @param action one of {@link io.delayqueue.admin.JobAction} in lower case
 * @param cause the cause of the dead letters; omitted for any, as are the next four
 * @param perSecond the maximum number of messages per second; 0 for no limit
 * @param by name of the user who requested it; omitted if unknown
 * @param state one of {@link Job.State} in lower case
 * @param expected the number of messages or dead letters on which it would have acted when it was requested
 */
public record JobDescriptor(
        String id,
        String action,
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
        String state,
        long expected,
        long done,
        long kept,
        @Nullable String node,
        Instant requestedAt,
        Instant updatedAt,
        @Nullable String failure) {

    /** Creates the descriptor of a job. */
    public static JobDescriptor of(Job job) {
        JobRequest request = job.request();
        return new JobDescriptor(
                job.id(),
                request.action().name().toLowerCase(Locale.ROOT),
                request.topic(),
                request.filter().cause(),
                request.filter().exceptionType(),
                request.filter().shape(),
                request.filter().from(),
                request.filter().until(),
                request.delay().toMillis(),
                request.perSecond(),
                request.target(),
                request.startAt(),
                request.by().isEmpty() ? null : request.by(),
                job.state().name().toLowerCase(Locale.ROOT),
                job.expected(),
                job.done(),
                job.kept(),
                job.node(),
                job.requestedAt(),
                job.updatedAt(),
                job.failure());
    }

    /** All jobs, the latest first. */
    public record Jobs(List<JobDescriptor> jobs) implements OperationResponseBody {}
}
