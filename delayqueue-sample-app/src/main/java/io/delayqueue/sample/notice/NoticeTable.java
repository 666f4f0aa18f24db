package io.delayqueue.sample.notice;

import java.util.Collection;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The notices in the database. An accepted notice keeps its status. */
@Component
final class NoticeTable {

    private final JdbcClient jdbc;

    NoticeTable(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    void insert(String orderId) {
        jdbc.sql("INSERT INTO notices (order_id, status) VALUES (?, 'PENDING')")
                .param(orderId)
                .update();
    }

    void accepted(String orderId) {
        jdbc.sql("UPDATE notices SET status = 'ACCEPTED', dead_letter_id = NULL, failure = NULL WHERE order_id = ?")
                .param(orderId)
                .update();
    }

    /** Marks a notice as dead; returns whether this dead letter is new. */
    boolean dead(String orderId, String deadLetterId, String failure) {
        return jdbc.sql("UPDATE notices SET status = 'DEAD', dead_letter_id = ?, failure = ?"
                                + " WHERE order_id = ? AND (status = 'PENDING' OR dead_letter_id <> ?)")
                        .params(deadLetterId, failure, orderId, deadLetterId)
                        .update()
                == 1;
    }

    /** Marks a dead notice as pending; returns whether this was its dead letter. */
    boolean replayed(String orderId, String deadLetterId) {
        return jdbc.sql("UPDATE notices SET status = 'PENDING', dead_letter_id = NULL, failure = NULL"
                                + " WHERE order_id = ? AND dead_letter_id = ?")
                        .params(orderId, deadLetterId)
                        .update()
                == 1;
    }

    List<Notice> of(Collection<String> orderIds) {
        if (orderIds.isEmpty()) {
            return List.of();
        }
        return jdbc.sql("SELECT order_id, status, dead_letter_id, failure FROM notices WHERE order_id IN (:ids)")
                .param("ids", orderIds)
                .query((row, index) -> new Notice(
                        row.getString("order_id"),
                        NoticeStatus.valueOf(row.getString("status")),
                        row.getString("dead_letter_id"),
                        row.getString("failure")))
                .list();
    }
}
