package io.delayqueue.sample.order;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
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

    void insert(Order order, boolean simulated) {
        jdbc.sql("INSERT INTO orders (id, item, amount, status, created_at, cancel_at, simulated)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?)")
                .params(
                        order.id(),
                        order.item(),
                        order.amount(),
                        order.status().name(),
                        order.createdAt().atOffset(ZoneOffset.UTC),
                        order.cancelAt().atOffset(ZoneOffset.UTC),
                        simulated)
                .update();
    }

    /** Gives an unpaid order more time; returns whether it waited for its payment until the earlier time. */
    boolean postpone(String id, Instant earlier, Instant later) {
        return jdbc.sql("UPDATE orders SET cancel_at = ? WHERE id = ? AND cancel_at = ? AND status = 'PENDING_PAYMENT'")
                        .params(later.atOffset(ZoneOffset.UTC), id, earlier.atOffset(ZoneOffset.UTC))
                        .update()
                == 1;
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

    /** Like {@link #latest}, without those of simulated customers. */
    List<Order> latestReal(int limit) {
        return jdbc.sql(SELECT + "WHERE NOT simulated ORDER BY number DESC LIMIT ?")
                .param(limit)
                .query(OrderTable::order)
                .list();
    }

    Map<OrderStatus, Long> countSimulated() {
        return jdbc
                .sql("SELECT status, COUNT(*) FROM orders WHERE simulated GROUP BY status")
                .query((row, index) -> Map.entry(OrderStatus.valueOf(row.getString(1)), row.getLong(2)))
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
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
