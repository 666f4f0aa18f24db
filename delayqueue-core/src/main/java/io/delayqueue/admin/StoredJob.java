package io.delayqueue.admin;

import io.delayqueue.admin.Job.State;
import io.delayqueue.message.FormText;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A job with its position. In Redis it is a {@link FormText}.
 *
 * @param job the job
 * @param position where the next batch begins; empty at the beginning
 * @param acted whether the pass over the dead letters has acted on any
 */
record StoredJob(Job job, String position, boolean acted) {

    /**
     * What one batch did.
     *
     * @param done number of messages on which it acted
     * @param kept number of messages on which it could not act
     * @param next position after the batch; null at the end
     * @param newPass whether the position is the beginning of another pass
     * @param failure why the job cannot continue; null if it can
     */
    record Batch(
            long done,
            long kept,
            @Nullable String next,
            boolean newPass,
            @Nullable String failure) {

        Batch(long done, long kept, @Nullable String next, boolean newPass) {
            this(done, kept, next, newPass, null);
        }
    }

    /** The same job after a batch. Another node may have written progress or stopped the job in the meantime. */
    StoredJob after(Batch batch, String node, Instant now) {
        State state = !job.isActive()
                ? job.state()
                : batch.failure != null ? State.FAILED : batch.next == null ? State.FINISHED : State.RUNNING;
        long kept = batch.newPass ? 0 : job.kept() + batch.kept;
        return new StoredJob(
                with(state, job.done() + batch.done, kept, node, now, job.isActive() ? batch.failure : job.failure()),
                batch.next == null ? "" : batch.next,
                !batch.newPass && (acted || batch.done > 0));
    }

    /** The same job in another state; an ended job stays as it is. */
    StoredJob ended(State state, Instant now, @Nullable String failure) {
        return job.isActive()
                ? new StoredJob(with(state, job.done(), job.kept(), job.node(), now, failure), position, acted)
                : this;
    }

    /** The same job with the reason why it cannot continue now. */
    StoredJob waiting(String why) {
        return job.isActive()
                ? new StoredJob(
                        with(job.state(), job.done(), job.kept(), job.node(), job.updatedAt(), why), position, acted)
                : this;
    }

    private Job with(State state, long done, long kept, @Nullable String node, Instant now, @Nullable String failure) {
        return new Job(
                job.id(), job.request(), state, job.expected(), done, kept, node, job.requestedAt(), now, failure);
    }

    /** The time at which the job began or begins. It acts on what exists then. */
    Instant begin() {
        Instant startAt = job.request().startAt();
        return startAt == null || startAt.isBefore(job.requestedAt()) ? job.requestedAt() : startAt;
    }

    String write() {
        StringBuilder text = new StringBuilder();
        JobRequest request = job.request();
        FormText.append(text, "action", request.action());
        FormText.append(text, "topic", request.topic());
        append(text, "cause", request.filter().cause());
        append(text, "type", request.filter().exceptionType());
        append(text, "shape", request.filter().shape());
        append(text, "from", request.filter().from());
        append(text, "until", request.filter().until());
        FormText.append(text, "delay", request.delay().toMillis());
        FormText.append(text, "rate", request.perSecond());
        append(text, "target", request.target());
        append(text, "start", request.startAt());
        FormText.append(text, "by", request.by());
        FormText.append(text, "state", job.state());
        FormText.append(text, "expected", job.expected());
        FormText.append(text, "done", job.done());
        FormText.append(text, "kept", job.kept());
        append(text, "node", job.node());
        append(text, "requested", job.requestedAt());
        append(text, "updated", job.updatedAt());
        append(text, "failure", job.failure());
        FormText.append(text, "position", position);
        FormText.append(text, "acted", acted);
        return text.toString();
    }

    private static void append(StringBuilder text, String name, @Nullable Object value) {
        if (value != null) {
            FormText.append(text, name, value);
        }
    }

    /**
     * Reads a job.
     *
     * @throws RuntimeException if another version wrote it and this version cannot read it
     */
    static StoredJob read(String id, String text) {
        Map<String, String> fields = FormText.read(text);
        JobRequest request = new JobRequest(
                JobAction.valueOf(fields.getOrDefault("action", "")),
                fields.getOrDefault("topic", ""),
                new DeadLetterFilter(
                        fields.get("cause"),
                        fields.get("type"),
                        fields.get("shape"),
                        time(fields, "from"),
                        time(fields, "until")),
                Duration.ofMillis(number(fields, "delay")),
                (int) number(fields, "rate"),
                fields.get("target"),
                time(fields, "start"),
                fields.getOrDefault("by", ""));
        Job job = new Job(
                id,
                request,
                State.valueOf(fields.getOrDefault("state", "")),
                number(fields, "expected"),
                number(fields, "done"),
                number(fields, "kept"),
                fields.get("node"),
                Instant.parse(fields.getOrDefault("requested", "")),
                Instant.parse(fields.getOrDefault("updated", "")),
                fields.get("failure"));
        return new StoredJob(job, fields.getOrDefault("position", ""), Boolean.parseBoolean(fields.get("acted")));
    }

    private static @Nullable Instant time(Map<String, String> fields, String name) {
        String text = fields.get(name);
        return text == null ? null : Instant.parse(text);
    }

    private static long number(Map<String, String> fields, String name) {
        return Long.parseLong(fields.getOrDefault(name, "0"));
    }
}
