package io.delayqueue.jdbc.outbox;

import io.delayqueue.message.DurationText;
import io.delayqueue.template.OutboxState;
import io.delayqueue.template.OutboxState.Content;
import io.delayqueue.template.OutboxState.Unusable;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.transaction.CannotCreateTransactionException;

/**
 * Whether the relay can use its table, as its last calls of the database tell. A call that does not return counts as a
 * failure after the query time-out: not each driver ends it, and a pool has a time-out of its own. Thread-safe; one thread
 * calls the database.
 */
final class TableUse {

    private final String table;
    private final Duration queryTimeout;
    private final LongSupplier nanoTime;

    /** When the call that has not returned began; null if there is none. */
    private @Nullable Long begun;
    /** When the call that failed last began; null if none has failed. */
    private @Nullable Long failedCall;

    private boolean called;
    private @Nullable Failure failure;
    private @Nullable Content content;

    private record Failure(long since, RuntimeException cause) {}

    TableUse(String table, Duration queryTimeout, LongSupplier nanoTime) {
        this.table = table;
        this.queryTimeout = queryTimeout;
        this.nanoTime = nanoTime;
    }

    void calling(Runnable call) {
        calling(() -> {
            call.run();
            return true;
        });
    }

    /** Calls the database. */
    <T> T calling(Supplier<T> call) {
        begin();
        boolean returned = false;
        try {
            T result = call.get();
            returned = true;
            return result;
        } finally {
            end(returned);
        }
    }

    /** Does something else during a call of the database. */
    <T> T pausing(Supplier<T> other) {
        end(true);
        try {
            return other.get();
        } finally {
            begin();
        }
    }

    private synchronized void begin() {
        begun = nanoTime.getAsLong();
        called = true;
    }

    private synchronized void end(boolean returned) {
        failedCall = returned ? null : begun;
        begun = null;
    }

    /** Notes that all calls returned. Returns whether there was one since the last time. */
    synchronized boolean succeeded() {
        boolean served = called;
        called = false;
        if (served) {
            failure = null;
        }
        return served;
    }

    /** Notes that a call failed. Returns when it began. */
    synchronized long failed(RuntimeException cause) {
        called = false;
        content = null;
        long since = failedCall == null ? nanoTime.getAsLong() : failedCall;
        failure = new Failure(failure == null ? since : failure.since(), cause);
        return since;
    }

    /** Notes the content of the table. */
    synchronized void read(Content read) {
        content = read;
    }

    /** The state of the outbox; null before the first call has returned. */
    synchronized @Nullable OutboxState state() {
        if (failure != null) {
            return unusable(
                    failure.since(), problem(failure.cause()), failure.cause().toString());
        }
        if (begun != null && nanoTime.getAsLong() - begun >= queryTimeout.toNanos()) {
            return unusable(
                    begun,
                    "A call of the database has not returned. Another session may have locked the table, or all"
                            + " connections of the pool may be in use.",
                    null);
        }
        return content;
    }

    private Unusable unusable(long since, String problem, @Nullable String cause) {
        return new Unusable(table, Duration.ofNanos(nanoTime.getAsLong() - since), problem, cause);
    }

    private String problem(RuntimeException cause) {
        if (cause instanceof QueryTimeoutException || cause instanceof PessimisticLockingFailureException) {
            return "A statement did not end within its time-out (delayqueue.outbox.query-timeout is "
                    + DurationText.of(queryTimeout) + "). Another session may have locked the table.";
        }
        if (cause instanceof CannotGetJdbcConnectionException || cause instanceof CannotCreateTransactionException) {
            return "There is no connection. The database may be unavailable, or all connections of the pool in use.";
        }
        return "The database rejects a statement, or the connection broke.";
    }
}
