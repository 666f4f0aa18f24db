package io.delayqueue.sample.order;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.sample.journal.Journal;
import io.delayqueue.sample.journal.JournalEntry.Actor;
import io.delayqueue.template.DelayQueueOperations;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.event.EventListener;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;

/** Cancels orders that are not paid in time. This is the only class of the package that uses the queue. */
@Component
final class UnpaidOrders {

    static final String TOPIC = "order-cancel";

    private static final Logger log = LoggerFactory.getLogger(UnpaidOrders.class);

    private final DelayQueueOperations delayQueue;
    private final OrderTable orders;
    private final Journal journal;

    UnpaidOrders(DelayQueueOperations delayQueue, OrderTable orders, Journal journal) {
        this.delayQueue = delayQueue;
        this.orders = orders;
        this.journal = journal;
    }

    /**
     * Must be called inside the transaction that stores the order. The message is stored with the order and sent after
     * the commit, even if Redis is unavailable then or the process is killed.
     */
    void cancelInTime(Order order) {
        delayQueue.sendAfterCommit(DelayMessage.to(TOPIC)
                .id(order.id())
                .payload(new CancelOrder(order.id()))
                .dueAt(order.cancelAt())
                .build());
        log.info("Order {} waits for its payment until {}", order.id(), order.cancelAt());
    }

    /**
     * Must be called inside the transaction that stores the payment. The message is cancelled after its commit. If the
     * message was cancelled before and the transaction was rolled back, the unpaid order would never be cancelled.
     */
    @EventListener
    void withdraw(OrderPaid paid) {
        delayQueue.cancelAfterCommit(TOPIC, paid.order().id());
        journal.add(paid.order().id(), Actor.SHOP, "Cancelled the delayed message by its id: the order stays.");
    }

    /**
     * Must be the last call in the transaction that stores the later time. If it fails, the transaction is rolled back. If
     * the commit fails, the message is later than the order says: the order is cancelled too late, but never too early.
     *
     * @throws ResponseStatusException if the message cannot be rescheduled now
     */
    void postpone(String orderId, Instant cancelAt) {
        RescheduleOutcome outcome = delayQueue.reschedule(TOPIC, orderId, cancelAt);
        if (outcome != RescheduleOutcome.RESCHEDULED) {
            throw new ResponseStatusException(
                    HttpStatus.CONFLICT, "The message of order " + orderId + " was not rescheduled: " + outcome + ".");
        }
    }

    /** Whether a message will cancel the order. */
    boolean isScheduled(String orderId) {
        return delayQueue.find(TOPIC, orderId).isPresent();
    }

    /**
     * Runs in a transaction whose effects happen once, even if the process is killed before the message is
     * acknowledged. It may run at the same time as a payment. Therefore the update changes only unpaid orders, and the
     * database decides. If an exception is thrown, for example by the database, the message is retried.
     */
    @DelayListener(topic = TOPIC, once = "true")
    void cancel(CancelOrder message, Delivery delivery) {
        if (orders.move(message.orderId(), OrderStatus.PENDING_PAYMENT, OrderStatus.CANCELLED)) {
            journal.handled(message.orderId(), delivery, "Cancelled: not paid in time.");
            log.info("Order {} is cancelled, as it was not paid in time", message.orderId());
        }
    }
}
