package io.delayqueue.sample.order;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.sample.journal.Journal;
import io.delayqueue.sample.outbox.Outbox;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueOperations;
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Cancels orders that are not paid in time. This is the only class of the package that uses the queue. */
@Component
class UnpaidOrders implements Outbox {

    static final String TOPIC = "order-cancel";

    private static final Logger log = LoggerFactory.getLogger(UnpaidOrders.class);
    private static final int RESENT = 200;

    private final DelayQueueOperations delayQueue;
    private final OrderTable orders;
    private final Journal journal;

    UnpaidOrders(DelayQueueOperations delayQueue, OrderTable orders, Journal journal) {
        this.delayQueue = delayQueue;
        this.orders = orders;
        this.journal = journal;
    }

    /** Must be called inside the transaction that stores the order. The message is sent after its commit. */
    void cancelInTime(Order order) {
        delayQueue.sendAfterCommit(message(order));
        log.info("Order {} waits for its payment until {}", order.id(), order.cancelAt());
    }

    /**
     * Must be called after the commit of the payment. If the message was cancelled before and the transaction was
     * rolled back, the unpaid order would never be cancelled.
     */
    void withdraw(String orderId) {
        try {
            delayQueue.cancel(TOPIC, orderId);
        } catch (DelayQueueException e) {
            // The payment is committed. If the message is delivered, the order is already paid and nothing happens.
            log.info("The message that cancels order {} could not be removed: {}", orderId, e.getMessage());
        }
    }

    /**
     * Called at least once, possibly at the same time as a payment. Therefore the update changes only unpaid orders,
     * and the database decides. If an exception is thrown, for example by the database, the message is retried.
     */
    @DelayListener(topic = TOPIC)
    @Transactional
    void cancel(CancelOrder message, Delivery delivery) {
        if (orders.move(message.orderId(), OrderStatus.PENDING_PAYMENT, OrderStatus.CANCELLED)) {
            journal.handled(message.orderId(), delivery, "Cancelled: not paid in time.");
            log.info("Order {} is cancelled, as it was not paid in time", message.orderId());
        }
    }

    @Override
    public List<DelayMessage> overdue(Instant before) {
        return orders.unpaidSince(before, RESENT).stream().map(this::message).toList();
    }

    private DelayMessage message(Order order) {
        return DelayMessage.to(TOPIC)
                .id(order.id())
                .payload(new CancelOrder(order.id()))
                .dueAt(order.cancelAt())
                .build();
    }
}
