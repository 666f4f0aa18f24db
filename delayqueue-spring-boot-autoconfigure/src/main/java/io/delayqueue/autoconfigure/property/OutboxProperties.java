package io.delayqueue.autoconfigure.property;

import io.delayqueue.message.InvalidOptionException;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The transactional outbox, which needs delayqueue-jdbc.
 *
 * @param enabled Whether sendAfterCommit and cancelAfterCommit store sends and cancels in the database until Redis has
 *     executed them, if delayqueue-jdbc and a DataSource are present. If set to true, their absence fails the start.
 * @param table Name of the table, optionally with its schema: letters, digits, underscores and a dot.
 * @param pollInterval Interval between searches for sends and cancels that are still stored, 100 ms to 1 min.
 * @param batchSize Maximum number of stored sends and cancels that are executed or deleted together, 1 to 500.
 * @param initializeSchema When the tables of delayqueue-jdbc are created at the start: embedded (only in an embedded
 *     database), always or never.
 * @param rememberFor Time for which Redis recognises the repeat of a send even if the message no longer exists, 1 min to
 *     30 d. Repeats of cancels are recognised for twice this time.
 * @param queryTimeout Time after which a statement of the relay, and the query after a commit, is ended, 1 s to 1 min,
 *     rounded up to seconds. The statements of a transaction have the time-outs of the application.
 */
public record OutboxProperties(
        @Nullable Boolean enabled,
        @DefaultValue("delayqueue_outbox") String table,
        @DefaultValue("1s") Duration pollInterval,
        @DefaultValue("100") int batchSize,
        @DefaultValue("embedded") InitializeSchema initializeSchema,
        @DefaultValue("1h") Duration rememberFor,
        @DefaultValue("5s") Duration queryTimeout) {

    private static final Pattern TABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?");
    private static final int MAX_BATCH = 500;

    /** When tables are created at the start. */
    public enum InitializeSchema {

        /** Only in an embedded database. */
        EMBEDDED,

        /** In every database. */
        ALWAYS,

        /** Never. */
        NEVER
    }

    /**
     * Checks the values.
     *
     * @throws InvalidOptionException if one is invalid
     */
    public OutboxProperties check() {
        InvalidOptionException.require(
                TABLE.matcher(table).matches(),
                "table",
                "must be the name of a table, optionally with its schema (letters, digits, underscores and a dot), but"
                        + " was '" + table + "'");
        InvalidOptionException.requireRange(
                "pollInterval", pollInterval, Duration.ofMillis(100), Duration.ofMinutes(1));
        InvalidOptionException.requireRange("batchSize", batchSize, 1, MAX_BATCH);
        InvalidOptionException.requireRange("rememberFor", rememberFor, Duration.ofMinutes(1), Duration.ofDays(30));
        InvalidOptionException.requireRange("queryTimeout", queryTimeout, Duration.ofSeconds(1), Duration.ofMinutes(1));
        return this;
    }
}
