package io.delayqueue.jdbc.once;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.jdbc.QueueDatabase;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.Printable;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The table of handled messages. Its primary key is a digest of topic, id and send id, because these may have any
 * characters: many databases compare text without regard to case or trailing blanks, or reject some characters. The other
 * columns are for people, and the time for the clean-up: it is that of the database, so clocks of nodes do not matter.
 * Thread-safe.
 */
public final class HandledMessages {

    /** Maximum number of rows that one statement deletes. */
    static final int DELETED_AT_ONCE = 1000;

    private static final int KEY_BYTES = 20;
    private static final int MAX_LISTENER = 255;

    private final QueueDatabase database;
    private final JdbcTemplate jdbc;
    /** For statements outside the transaction of a handler, because a pool may not commit by itself. */
    private final TransactionTemplate transaction;

    private final String table;

    /**
     * Creates an access to a table.
     *
     * @param table its name, not quoted
     */
    public HandledMessages(DataSource dataSource, String table) {
        this.database = new QueueDatabase(dataSource);
        this.jdbc = new JdbcTemplate(dataSource);
        this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        this.table = table;
    }

    /** A delivery and the key of its row. */
    record Keyed(String key, Delivery delivery) {

        static Keyed of(Delivery delivery) {
            return new Keyed(keyOf(delivery.topic(), delivery.id(), delivery.sendId()), delivery);
        }
    }

    /** The primary key of a message's row: 40 hexadecimal digits. */
    static String keyOf(String topic, String id, String sendId) {
        MessageDigest digest = sha256();
        for (String part : List.of(topic, id, sendId)) {
            byte[] bytes = part.getBytes(UTF_8);
            digest.update((bytes.length + ":").getBytes(UTF_8));
            digest.update(bytes);
        }
        return HexFormat.of().formatHex(digest.digest(), 0, KEY_BYTES);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // each JDK has it
        }
    }

    /**
     * Inserts a row for each message, in the order of their keys, so that overlapping batches do not deadlock.
     *
     * @throws org.springframework.dao.DataIntegrityViolationException if a row exists
     */
    void insert(String listener, Collection<Keyed> messages) {
        String shownListener = shown(listener, MAX_LISTENER);
        List<Object[]> rows = messages.stream()
                .sorted((a, b) -> a.key().compareTo(b.key()))
                .map(message -> row(shownListener, message))
                .toList();
        String sql = "insert into " + table
                + " (message_key, listener, topic, message_id, send_id, handled_at) values (?, ?, ?, ?, ?, "
                + database.dialect().now() + ")";
        if (rows.size() == 1) {
            jdbc.update(sql, rows.get(0));
        } else {
            jdbc.batchUpdate(sql, rows);
        }
    }

    private static Object[] row(String listener, Keyed message) {
        Delivery delivery = message.delivery();
        return new Object[] {
            message.key(),
            listener,
            shown(delivery.topic(), Printable.MAX),
            shown(delivery.id(), Printable.MAX),
            delivery.sendId()
        };
    }

    private static String shown(String text, int max) {
        String shown = Printable.of(text);
        return shown.length() <= max ? shown : shown.substring(0, max);
    }

    /** Which of the keys have a row, as committed transactions left them. */
    Set<String> existing(List<String> keys) {
        return transaction.execute(status -> new HashSet<>(jdbc.queryForList(
                "select message_key from " + table + " where message_key in (" + parameters(keys.size()) + ")",
                String.class,
                keys.toArray())));
    }

    /**
     * Deletes rows that are older than a time by the database's clock, at most {@value #DELETED_AT_ONCE}.
     *
     * @return the number of rows that were found; another node may have deleted them
     */
    int deleteOlderThan(Duration age) {
        return transaction.execute(status -> delete(age));
    }

    private int delete(Duration age) {
        // a query of its own, because PostgreSQL uses no index for a condition with its clock
        long now = Objects.requireNonNull(jdbc.queryForObject(database.dialect().queryOfNow(), Long.class));
        List<String> expired = jdbc.query(
                connection -> {
                    var statement =
                            connection.prepareStatement("select message_key from " + table + " where handled_at < ?");
                    statement.setMaxRows(DELETED_AT_ONCE);
                    statement.setLong(1, now - age.toMillis());
                    return statement;
                },
                (row, number) -> row.getString(1));
        if (!expired.isEmpty()) {
            Collections.sort(expired); // nodes that delete the same rows lock them in the same order
            jdbc.update(
                    "delete from " + table + " where message_key in (" + parameters(expired.size()) + ")",
                    expired.toArray());
        }
        return expired.size();
    }

    private static String parameters(int count) {
        return String.join(", ", Collections.nCopies(count, "?"));
    }
}
