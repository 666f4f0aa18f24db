package io.delayqueue.admin;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of a job. Times are by Redis' clock.
 *
 * @param id the id
 * @param request what it does
 * @param state its state
 * @param expected number of messages or dead letters on which it would have acted when it was requested
 * @param done number of messages or dead letters on which it acted; up to 250 too low for each batch that a failure of
 *     Redis or of the node interrupted
 * @param kept number of messages or dead letters on which it could not act, for example because the message id is live,
 *     a listener claimed the message, or this version cannot read it
 * @param node name of the node that ran it last; null if none has
 * @param requestedAt when it was requested
 * @param updatedAt when it last made progress or ended
 * @param failure why it failed, or why it cannot continue now; null otherwise
 */
public record Job(
        String id,
        JobRequest request,
        State state,
        long expected,
        long done,
        long kept,
        @Nullable String node,
        Instant requestedAt,
        Instant updatedAt,
        @Nullable String failure) {

    /** The state of a job. */
    public enum State {
        /** It waits for its start or for a node. */
        WAITING,
        /** It runs, and continues on another node if its node fails. */
        RUNNING,
        /** It has acted on everything. */
        FINISHED,
        /** It was stopped; what it did is not undone. */
        STOPPED,
        /** It cannot continue; what it did is not undone. */
        FAILED
    }

    /** The same without the target and the failure, which may name it, for a caller without access to that topic. */
    public Job withoutTarget() {
        JobRequest shown = new JobRequest(
                request.action(),
                request.topic(),
                request.filter(),
                request.delay(),
                request.perSecond(),
                null,
                request.startAt(),
                request.by());
        return new Job(id, shown, state, expected, done, kept, node, requestedAt, updatedAt, null);
    }

    /** Whether it waits or runs. */
    public boolean isActive() {
        return state == State.WAITING || state == State.RUNNING;
    }
}
