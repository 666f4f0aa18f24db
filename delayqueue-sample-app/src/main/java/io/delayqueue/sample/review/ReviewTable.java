package io.delayqueue.sample.review;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The reviews in the database. A row is inserted at the delivery, and its stars are set later. */
@Component
final class ReviewTable {

    private final JdbcClient jdbc;

    ReviewTable(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    void insert(String orderId, Instant reviewAt) {
        jdbc.sql("INSERT INTO reviews (order_id, review_at, automatic) VALUES (?, ?, FALSE)")
                .params(orderId, reviewAt.atOffset(ZoneOffset.UTC))
                .update();
    }

    /** Sets the stars in one statement, so that only the first of two concurrent reviews is stored. */
    boolean rate(String orderId, int stars, boolean automatic) {
        return jdbc.sql("UPDATE reviews SET stars = ?, automatic = ? WHERE order_id = ? AND stars IS NULL")
                        .params(stars, automatic, orderId)
                        .update()
                == 1;
    }

    List<Review> of(Collection<String> orderIds) {
        if (orderIds.isEmpty()) {
            return List.of();
        }
        return jdbc.sql("SELECT order_id, review_at, stars, automatic FROM reviews WHERE order_id IN (:ids)")
                .param("ids", orderIds)
                .query(ReviewTable::review)
                .list();
    }

    private static Review review(ResultSet row, int index) throws SQLException {
        return new Review(
                row.getString("order_id"),
                row.getObject("review_at", OffsetDateTime.class).toInstant(),
                row.getObject("stars", Integer.class),
                row.getBoolean("automatic"));
    }
}
