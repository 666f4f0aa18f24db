package io.delayqueue.sample.demo;

import io.delayqueue.sample.journal.Journal;
import io.delayqueue.sample.journal.JournalEntry.Actor;
import io.delayqueue.sample.order.Order;
import io.delayqueue.sample.order.OrderService;
import java.math.BigDecimal;
import java.util.Objects;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;

/** Shows the outbox: an order and its delayed message are stored in one transaction, or neither is. Thread-safe. */
@Component
final class RolledBackOrder {

    /** What the journal names it. */
    private static final String NAME = "outbox";

    private final OrderService orders;
    private final TransactionOperations transaction;
    private final Journal journal;

    RolledBackOrder(OrderService orders, TransactionOperations transaction, Journal journal) {
        this.orders = orders;
        this.transaction = transaction;
        this.journal = journal;
    }

    void place() {
        Order order = Objects.requireNonNull(transaction.execute(status -> {
            status.setRollbackOnly();
            return orders.place("Kettle", BigDecimal.TEN);
        }));
        journal.add(
                NAME,
                Actor.SHOP,
                orders.isToBeCancelled(order.id())
                        ? "An order was rolled back, but its delayed message was sent."
                        : "An order was rolled back after sendAfterCommit: neither the order nor its message exists.");
    }
}
