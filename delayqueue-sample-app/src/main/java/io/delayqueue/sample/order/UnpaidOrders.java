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

/** Cancels what is not paid in time. This class is all that the order service has to do with the queue. */
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

    /** To be called inside the transaction that stores the order; the message is sent after its commit. */
    void cancelInTime(Order order) {
        delayQueue.sendAfterCommit(message(order));
        log.info("Order {} waits for its payment until {}", order.id(), order.cancelAt());
    }

    /**
     * To be called after the payment is committed: withdrawn before, and then rolled back, the order would stay unpaid
     * and never be cancelled.
     */
    void withdraw(String orderId) {
        try {
            delayQueue.cancel(TOPIC, orderId);
        } catch (DelayQueueException e) {
            // The payment stands and needs no message to be withdrawn: when it comes, it finds the order paid.
            log.info("The cancellation of order {} could not be withdrawn: {}", orderId, e.getMessage());
        }
    }

    /**
     * At least once, and perhaps at the very moment of a payment: so the database decides, by an update that changes an
     * unpaid order only. An exception, of the database say, brings the message back later.
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
