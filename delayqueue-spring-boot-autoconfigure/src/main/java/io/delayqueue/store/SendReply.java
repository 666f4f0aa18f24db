package io.delayqueue.store;

import java.time.Instant;
import java.util.List;

/**
 * What became of the messages of a send.
 *
 * @param now Redis' clock
 * @param results in the order of the messages
 */
public record SendReply(Instant now, List<Result> results) {

    /**
     * What became of one.
     *
     * @param dueAt when it was to be due
     */
    public record Result(Outcome outcome, Instant dueAt) {}

    /** What may become of one. */
    public enum Outcome {
        /** Stored. */
        ACCEPTED,
        /** Stored in the place of a live one. */
        REPLACED,
        /** A live one was kept, as wished. */
        KEPT,
        /** A live one stood in the way. */
        DUPLICATE
    }
}
