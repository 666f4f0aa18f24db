package io.delayqueue.sample.journal;

import io.delayqueue.listener.Delivery;
import io.delayqueue.sample.journal.JournalEntry.Actor;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Stores the latest {@value #KEPT} events, in the caller's transaction if there is one. Thread-safe. */
@Component
public final class Journal {

    private static final int KEPT = 500;

    private final JdbcClient jdbc;
    private final InstantSource clock;

    Journal(JdbcClient jdbc, InstantSource clock) {
        this.jdbc = jdbc;
        this.clock = clock;
    }

    /**
     * Adds an event, described in a sentence; not one of a simulated order, so that the events of others stay visible.
     *
     * @param orderId the order, or the name of a demonstration
     */
    public void add(String orderId, Actor actor, String text) {
        jdbc.sql("INSERT INTO journal (at, order_id, actor, text) SELECT CAST(? AS TIMESTAMP WITH TIME ZONE),"
                        + " CAST(? AS VARCHAR), CAST(? AS VARCHAR), CAST(? AS VARCHAR)"
                        + " WHERE NOT EXISTS (SELECT 1 FROM orders WHERE id = ? AND simulated)")
                .params(clock.instant().atOffset(ZoneOffset.UTC), orderId, actor.name(), text, orderId)
                .update();
        jdbc.sql("DELETE FROM journal WHERE id <= (SELECT MAX(id) FROM journal) - ?")
                .param(KEPT)
                .update();
    }

    /** Adds the result of a delivery, described in a sentence. */
    public void handled(String orderId, Delivery delivery, String text) {
        long late =
                Math.max(0, Duration.between(delivery.dueAt(), clock.instant()).toMillis());
        add(orderId, Actor.QUEUE, "%s (attempt %s, %s ms after it was due)".formatted(text, delivery.attempt(), late));
    }

    /** The entries after an entry, oldest first; all entries if the id is 0. */
    public List<JournalEntry> after(long id) {
        return jdbc.sql("SELECT id, at, order_id, actor, text FROM journal WHERE id > ? ORDER BY id")
                .param(id)
                .query(Journal::entry)
                .list();
    }

    private static JournalEntry entry(ResultSet row, int index) throws SQLException {
        return new JournalEntry(
                row.getLong("id"),
                row.getObject("at", OffsetDateTime.class).toInstant(),
                row.getString("order_id"),
                Actor.valueOf(row.getString("actor")),
                row.getString("text"));
    }
}
