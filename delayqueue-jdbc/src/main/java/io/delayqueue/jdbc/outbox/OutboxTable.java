package io.delayqueue.jdbc.outbox;

import io.delayqueue.jdbc.SqlDialect;
import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.Names;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.store.EnvelopeFormat;
import io.delayqueue.store.OutgoingMessage.Memory;
import io.delayqueue.template.OutboxMessage;
import io.delayqueue.template.OutboxMessage.Kind;
import io.delayqueue.template.OutboxState.Content;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;

/** The SQL of the outbox's table. Each method uses the transaction of the calling thread, if there is one. Thread-safe. */
final class OutboxTable {

    /** A row that waits for Redis. */
    private static final int WAITING = 0;
    /** A row that was rejected for good. */
    private static final int SET_ASIDE = 1;

    private static final int MAX_REASON = 1000;
    private static final String COLUMNS = "o.seq, o.kind, o.topic, o.message_id, o.due_ms, o.relative_due,"
            + " o.on_duplicate, o.durability, o.nonce, o.remember_ms, o.envelope, o.longest_ms";
    /** An earlier row of the same id waits. */
    private static final String EARLIER =
            " e where e.topic = o.topic and e.message_id = o.message_id and e.seq < o.seq and e.status = " + WAITING;

    /** Executes the statements of the application's transactions, within their time-outs. */
    private final JdbcTemplate jdbc;
    /** Executes all others. */
    private final JdbcTemplate limited;

    private final String table;
    private final Supplier<SqlDialect> dialect;
    private final Duration queryTimeout;

    /**
     * A stored send or cancel.
     *
     * @param seq its number; rows of an id are done in the order of their numbers
     * @param message the send or cancel; a delay is what is left of it
     */
    record Row(long seq, OutboxMessage message) {}

    /**
     * A row that this version cannot read, perhaps because another one wrote it.
     *
     * @param isCancel whether it is known to be a cancel
     * @param topic its topic; empty if it has none
     * @param messageId its message's id; empty if it has none
     */
    record Unreadable(long seq, boolean isCancel, String topic, String messageId, Exception cause) {}

    /** Claimed rows, in the order of their numbers. */
    record Claimed(List<Row> rows, List<Unreadable> unreadable) {

        int size() {
            return rows.size() + unreadable.size();
        }
    }

    OutboxTable(DataSource dataSource, String table, Supplier<SqlDialect> dialect, Duration queryTimeout) {
        this.jdbc = new JdbcTemplate(dataSource);
        this.limited = new Limited(dataSource, dialect, queryTimeout);
        this.table = table;
        this.dialect = dialect;
        this.queryTimeout = queryTimeout;
    }

    /** Ends each statement after a time, rounded up to seconds. */
    private static final class Limited extends JdbcTemplate {

        private final Supplier<SqlDialect> dialect;

        Limited(DataSource dataSource, Supplier<SqlDialect> dialect, Duration timeout) {
            super(dataSource);
            this.dialect = dialect;
            setQueryTimeout(Math.toIntExact(timeout.plusSeconds(1).minusNanos(1).toSeconds()));
        }

        /** H2 would keep it for the connection, which the application uses next, and waits for locks regardless of it. */
        @Override
        public int getQueryTimeout() {
            return dialect.get() == SqlDialect.H2 ? -1 : super.getQueryTimeout();
        }
    }

    String name() {
        return table;
    }

    Duration queryTimeout() {
        return queryTimeout;
    }

    /** Fails if the table or one of its columns is missing. */
    void check() {
        limited.query(
                "select " + COLUMNS + ", o.stored_at, o.status, o.reason from " + table + " o where 1 = 0", row -> {});
    }

    long insert(OutboxMessage message) {
        String sql =
                "insert into " + table + " (kind, topic, message_id, due_ms, relative_due, longest_ms, on_duplicate,"
                        + " durability, nonce, remember_ms, envelope, stored_at, status) values (?, ?, ?, ?, ?, ?, ?, ?, ?,"
                        + " ?, ?, "
                        + dialect.get().now() + ", " + WAITING + ")";
        KeyHolder key = new GeneratedKeyHolder();
        jdbc.update(
                connection -> {
                    PreparedStatement insert = connection.prepareStatement(sql, new String[] {"seq"});
                    set(insert, message);
                    return insert;
                },
                key);
        return Objects.requireNonNull(key.getKey(), "The database returned no number of the inserted row")
                .longValue();
    }

    private static void set(PreparedStatement insert, OutboxMessage message) throws SQLException {
        insert.setString(1, message.kind().name());
        insert.setString(2, message.topic());
        insert.setString(3, message.id());
        insert.setLong(4, EnvelopeFormat.millis(message.due()));
        insert.setInt(5, message.due().relative() ? 1 : 0);
        insert.setLong(6, message.due().longest());
        insert.setString(7, message.onDuplicate().name());
        insert.setString(8, message.durability().toString());
        insert.setString(9, message.memory().nonce());
        insert.setLong(10, message.memory().time().toMillis());
        insert.setBytes(11, message.isCancel() ? null : message.envelope());
    }

    /** Makes the delays of rows count from now. */
    void restartDelays(Collection<Long> seqs) {
        jdbc.update(
                "update " + table + " set stored_at = " + dialect.get().now() + " where seq in " + places(seqs),
                values(seqs));
    }

    /**
     * Returns those rows that must not be done yet, because an earlier row of the same id waits.
     *
     * @param seqs the rows
     * @param sent rows that count as done
     */
    Set<Long> blocked(Collection<Long> seqs, Collection<Long> sent) {
        String others = sent.isEmpty() ? "" : " and e.seq not in " + places(sent);
        Object[] values =
                Stream.concat(Stream.of(values(seqs)), Stream.of(values(sent))).toArray();
        return new HashSet<>(limited.queryForList(
                "select o.seq from " + table + " o where o.seq in " + places(seqs) + " and exists (select 1 from "
                        + table + EARLIER + others + ")",
                Long.class,
                values));
    }

    /** Whether a row waits. */
    boolean hasWaiting() {
        return !limited.queryForList(dialect.get().first("o.seq", table, "o.status = " + WAITING, "seq", 1), Long.class)
                .isEmpty();
    }

    /**
     * Locks the first waiting rows after a number, except those that another transaction has locked.
     *
     * @param after the number
     * @param limit maximum number of rows
     * @param excluded topics whose rows are not claimed
     */
    Claimed claim(long after, int limit, List<String> excluded) {
        Object[] topics = values(excluded);
        String sql = dialect.get()
                .lockFirst(
                        COLUMNS + ", " + dialect.get().now() + " - o.stored_at",
                        table,
                        "o.status = " + WAITING + " and o.seq > ?"
                                + (excluded.isEmpty() ? "" : " and o.topic not in " + places(excluded)),
                        "seq",
                        limit);
        return Objects.requireNonNull(limited.query(
                connection -> {
                    PreparedStatement query = connection.prepareStatement(sql);
                    query.setLong(1, after);
                    for (int i = 0; i < topics.length; i++) {
                        query.setString(2 + i, (String) topics[i]);
                    }
                    if (dialect.get() == SqlDialect.ORACLE) {
                        query.setFetchSize(limit);
                    }
                    return query;
                },
                (ResultSet rows) -> {
                    Claimed claimed = new Claimed(new ArrayList<>(), new ArrayList<>());
                    while (claimed.size() < limit && rows.next()) {
                        read(rows, claimed);
                    }
                    return claimed;
                }));
    }

    private static void read(ResultSet row, Claimed claimed) throws SQLException {
        try {
            claimed.rows().add(row(row));
        } catch (RuntimeException | SQLDataException e) {
            claimed.unreadable()
                    .add(new Unreadable(
                            row.getLong(1),
                            Kind.CANCEL.name().equals(row.getString(2)),
                            text(row.getString(3)),
                            text(row.getString(4)),
                            e));
        }
    }

    private static String text(@Nullable String value) {
        return value == null ? "" : value;
    }

    private static Row row(ResultSet row) throws SQLException {
        Kind kind = Kind.valueOf(row.getString(2));
        String topic = row.getString(3);
        String id = row.getString(4);
        Names.checkTopic(topic);
        Names.checkId(id);
        Durability durability = Durability.parse(row.getString(8));
        Memory memory = new Memory(
                Objects.requireNonNull(row.getString(9), "nonce is null"), Duration.ofMillis(row.getLong(10)));
        if (kind == Kind.CANCEL) {
            return new Row(row.getLong(1), OutboxMessage.cancel(topic, id, durability, memory));
        }
        boolean relative = row.getInt(6) != 0;
        long millis = row.getLong(5);
        long longest = row.getLong(12);
        // the quiet time of a debounced message counts from when Redis stores it
        if (relative && longest == 0) {
            millis = Math.max(0, millis - Math.max(0, row.getLong(13)));
        }
        return new Row(
                row.getLong(1),
                new OutboxMessage(
                        kind,
                        topic,
                        id,
                        new Due(millis, relative, longest),
                        OnDuplicate.valueOf(row.getString(7)),
                        durability,
                        memory,
                        Objects.requireNonNull(row.getBytes(11), "envelope is null")));
    }

    void delete(Collection<Long> seqs) {
        limited.update("delete from " + table + " where seq in " + places(seqs), values(seqs));
    }

    /** Sets rows aside, with the reason of each. */
    void setAside(Map<Long, String> reasons) {
        limited.batchUpdate(
                "update " + table + " set status = " + SET_ASIDE + ", reason = ? where seq = ?",
                reasons.entrySet().stream()
                        .map(entry -> new Object[] {shortened(entry.getValue()), entry.getKey()})
                        .toList());
    }

    private static String shortened(@Nullable String reason) {
        String text = reason == null || reason.isEmpty() ? "unknown" : reason.replace('\0', ' ');
        return text.length() <= MAX_REASON ? text : text.substring(0, MAX_REASON);
    }

    Content content() {
        long[] numbers = new long[3];
        limited.query(
                "select o.status, count(*), max(" + dialect.get().now() + " - o.stored_at) from " + table
                        + " o group by o.status",
                row -> {
                    if (row.getInt(1) == WAITING) {
                        numbers[0] = row.getLong(2);
                        numbers[1] = Math.max(0, row.getLong(3));
                    } else {
                        numbers[2] = row.getLong(2);
                    }
                });
        return new Content(numbers[0], Duration.ofMillis(numbers[1]), numbers[2]);
    }

    /** Placeholders of a list. Their number is a power of two, so that there are few different statements. */
    private static String places(Collection<?> values) {
        return "(" + String.join(", ", Collections.nCopies(padded(values.size()), "?")) + ")";
    }

    /** The values of {@link #places}, the last one repeated. */
    private static Object[] values(Collection<?> list) {
        Object[] values = list.toArray();
        Object[] padded = Arrays.copyOf(values, values.length == 0 ? 0 : padded(values.length));
        for (int i = values.length; i < padded.length; i++) {
            padded[i] = values[values.length - 1];
        }
        return padded;
    }

    private static int padded(int size) {
        return size <= 1 ? 1 : Integer.highestOneBit(size - 1) << 1;
    }
}
