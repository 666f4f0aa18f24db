package io.delayqueue.sample.order;

import io.delayqueue.sample.SampleProperties;
import io.delayqueue.sample.journal.Journal;
import io.delayqueue.sample.journal.JournalEntry.Actor;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.server.ResponseStatusException;

/** Places, pays and delivers orders, each in a transaction. Thread-safe. */
@Service
@Transactional
public class OrderService {

    private final OrderTable orders;
    private final UnpaidOrders unpaid;
    private final Journal journal;
    private final ApplicationEventPublisher events;
    private final InstantSource clock;
    private final SampleProperties properties;

    OrderService(
            OrderTable orders,
            UnpaidOrders unpaid,
            Journal journal,
            ApplicationEventPublisher events,
            InstantSource clock,
            SampleProperties properties) {
        this.orders = orders;
        this.unpaid = unpaid;
        this.journal = journal;
        this.events = events;
        this.clock = clock;
        this.properties = properties;
    }

    Order place(NewOrder wanted) {
        return place(wanted.item().strip(), wanted.amount().setScale(2));
    }

    /**
     * Places an order.
     *
     * @param item 1 to 100 characters
     * @param amount at least 0.01, with two digits behind the point
     */
    public Order place(String item, BigDecimal amount) {
        return place(item, amount, false);
    }

    /** Places the order of a simulated customer, which neither the page nor the journal shows. */
    public Order simulate(String item, BigDecimal amount) {
        return place(item, amount, true);
    }

    private Order place(String item, BigDecimal amount, boolean simulated) {
        // Truncated to milliseconds like due times, so that the row, the response and the message contain the same
        // time.
        Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        Order order = new Order(
                UUID.randomUUID().toString(),
                item,
                amount,
                OrderStatus.PENDING_PAYMENT,
                now,
                now.plus(properties.paymentWindow()));
        orders.insert(order, simulated);
        journal.add(order.id(), Actor.CUSTOMER, "Ordered: " + order.item() + ".");
        unpaid.cancelInTime(order);
        return order;
    }

    /**
     * Pays an order.
     *
     * @throws ResponseStatusException if the order does not wait for its payment
     */
    public Order pay(String id) {
        Order order = move(id, OrderStatus.PENDING_PAYMENT, OrderStatus.PAID);
        journal.add(id, Actor.CUSTOMER, "Paid.");
        events.publishEvent(new OrderPaid(order));
        return order;
    }

    /**
     * Gives the customer more time to pay.
     *
     * @throws ResponseStatusException if the order does not wait for its payment, or its message cannot be rescheduled
     */
    public Order postpone(String id) {
        Order order = get(id);
        Instant cancelAt = order.cancelAt().plus(properties.paymentWindow());
        if (!orders.postpone(id, order.cancelAt(), cancelAt)) {
            throw conflict(get(id));
        }
        journal.add(id, Actor.CUSTOMER, "Asked for more time: the delayed message is rescheduled by its id.");
        unpaid.postpone(id, cancelAt);
        return get(id);
    }

    /**
     * Delivers an order.
     *
     * @throws ResponseStatusException if the order is not paid or was already delivered
     */
    public Order deliver(String id) {
        Order order = move(id, OrderStatus.PAID, OrderStatus.DELIVERED);
        journal.add(id, Actor.SHOP, "Delivered.");
        events.publishEvent(new OrderDelivered(order));
        return order;
    }

    /**
     * Finds an order.
     *
     * @throws ResponseStatusException if the order does not exist
     */
    public Order get(String id) {
        return orders.find(id)
                .orElseThrow(
                        () -> new ResponseStatusException(HttpStatus.NOT_FOUND, "Order " + id + " does not exist."));
    }

    /** The latest orders, newest first. */
    public List<Order> latest(int limit) {
        return orders.latest(limit);
    }

    /** The latest orders that no simulated customer placed, newest first. */
    public List<Order> latestReal(int limit) {
        return orders.latestReal(limit);
    }

    /** The number of simulated orders with each status. */
    public Map<OrderStatus, Long> countSimulated() {
        return orders.countSimulated();
    }

    /** Whether a delayed message will cancel the order. */
    public boolean isToBeCancelled(String id) {
        return unpaid.isScheduled(id);
    }

    private Order move(String id, OrderStatus from, OrderStatus to) {
        boolean moved = orders.move(id, from, to);
        Order order = get(id);
        if (!moved) {
            throw conflict(order);
        }
        return order;
    }

    private static ResponseStatusException conflict(Order order) {
        String id = order.id();
        return new ResponseStatusException(
                HttpStatus.CONFLICT,
                switch (order.status()) {
                    case PENDING_PAYMENT -> "Order " + id + " is not paid.";
                    case PAID -> "Order " + id + " is already paid.";
                    case CANCELLED -> "Order " + id + " was cancelled because it was not paid in time.";
                    case DELIVERED -> "Order " + id + " is already delivered.";
                });
    }
}
