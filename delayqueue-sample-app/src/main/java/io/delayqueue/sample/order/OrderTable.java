package io.delayqueue.sample.order;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The orders in the database. */
@Component
final class OrderTable {

    private static final String SELECT = "SELECT id, item, amount, status, created_at, cancel_at FROM orders ";

    private final JdbcClient jdbc;

    OrderTable(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    void insert(Order order) {
        jdbc.sql("INSERT INTO orders (id, item, amount, status, created_at, cancel_at) VALUES (?, ?, ?, ?, ?, ?)")
                .params(
                        order.id(),
                        order.item(),
                        order.amount(),
                        order.status().name(),
                        order.createdAt().atOffset(ZoneOffset.UTC),
                        order.cancelAt().atOffset(ZoneOffset.UTC))
                .update();
    }

    /**
     * Changes the status of an order in one statement, so that only one of two concurrent changes succeeds.
     *
     * @return whether the order had the expected status
     */
    boolean move(String id, OrderStatus from, OrderStatus to) {
        return jdbc.sql("UPDATE orders SET status = ? WHERE id = ? AND status = ?")
                        .params(to.name(), id, from.name())
                        .update()
                == 1;
    }

    Optional<Order> find(String id) {
        return jdbc.sql(SELECT + "WHERE id = ?")
                .param(id)
                .query(OrderTable::order)
                .optional();
    }

    List<Order> latest(int limit) {
        return jdbc.sql(SELECT + "ORDER BY number DESC LIMIT ?")
                .param(limit)
                .query(OrderTable::order)
                .list();
    }

    private static Order order(ResultSet row, int index) throws SQLException {
        return new Order(
                row.getString("id"),
                row.getString("item"),
                row.getBigDecimal("amount"),
                OrderStatus.valueOf(row.getString("status")),
                row.getObject("created_at", OffsetDateTime.class).toInstant(),
                row.getObject("cancel_at", OffsetDateTime.class).toInstant());
    }
}
