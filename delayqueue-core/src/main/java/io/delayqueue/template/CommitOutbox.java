package io.delayqueue.template;

import io.delayqueue.Internal;
import io.delayqueue.message.SendResult;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Stores sends and cancels in the transaction of the calling thread until Redis has executed them, so that this happens
 * even if Redis is unavailable after the commit or the process ends. Thread-safe.
 */
@Internal
public interface CommitOutbox {

    /** Whether the transaction of the calling thread can store sends and cancels. */
    boolean joinsTransaction();

    /** The time for which Redis remembers that it has a message. */
    Duration remembered();

    /**
     * Stores a send or a cancel in the transaction of the calling thread.
     *
     * @return the number of its row
     * @throws RuntimeException if it cannot be stored; the transaction should then be rolled back
     */
    long write(OutboxMessage message);

    /**
     * Makes the delays of sends of the transaction count from now. Is called immediately before the commit.
     *
     * @param rows the sends' rows
     * @throws RuntimeException if that fails; the transaction is then rolled back
     */
    void restartDelays(List<Long> rows);

    /**
     * Returns the rows of the committed transaction that may be sent or executed at once. The others follow later. Is
     * called by the thread of the transaction before its resources are released. Never throws.
     *
     * @param rows all rows of the transaction
     * @param withGivenIds those whose ids were not generated, so that earlier rows may have the same
     */
    Set<Long> sendable(List<Long> rows, List<Long> withGivenIds);

    /**
     * Takes the results of the rows that were sent or executed. Never throws.
     *
     * @param results results, by row
     */
    void settle(Map<Long, SendResult> results);

    /** What the outbox contained when it was last read, or why that is not known; null before the first time. Does not block. */
    @Nullable
    OutboxState state();
}
