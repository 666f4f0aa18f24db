package io.delayqueue.template;

import io.delayqueue.Internal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a node knows about its outbox. */
@Internal
public sealed interface OutboxState {

    /**
     * The content of the outbox when it was last read. Each row is a send or a cancel.
     *
     * @param waiting number of rows that wait for Redis
     * @param oldest time since the first of them was stored; zero if there is none
     * @param setAside number of rows that were rejected for good and wait for an operator
     */
    record Content(long waiting, Duration oldest, long setAside) implements OutboxState {}

    /**
     * The node cannot use the table, so that its content is not known.
     *
     * @param table name of the table
     * @param time for how long
     * @param problem the cause, as a sentence; contains no data of messages
     * @param failure class and text of the exception; null if a call has not returned
     */
    record Unusable(
            String table,
            Duration time,
            String problem,
            @Nullable String failure) implements OutboxState {}
}
