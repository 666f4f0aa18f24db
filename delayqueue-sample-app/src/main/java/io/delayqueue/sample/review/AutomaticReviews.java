package io.delayqueue.sample.review;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.sample.SampleProperties;
import io.delayqueue.sample.journal.Journal;
import io.delayqueue.sample.order.OrderDelivered;
import io.delayqueue.template.DelayQueueOperations;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Reviews an order some time after its delivery unless the customer has reviewed it. */
@Component
final class AutomaticReviews {

    static final String TOPIC = "automatic-review";

    private static final int FRIENDLY = 5;

    private final DelayQueueOperations delayQueue;
    private final ReviewTable reviews;
    private final Journal journal;
    private final InstantSource clock;
    private final SampleProperties properties;

    AutomaticReviews(
            DelayQueueOperations delayQueue,
            ReviewTable reviews,
            Journal journal,
            InstantSource clock,
            SampleProperties properties) {
        this.delayQueue = delayQueue;
        this.reviews = reviews;
        this.journal = journal;
        this.clock = clock;
        this.properties = properties;
    }

    /** Must be called inside the transaction that stores the delivery. The message is sent after its commit. */
    @EventListener
    void expectReview(OrderDelivered delivered) {
        String orderId = delivered.order().id();
        Instant reviewAt = clock.instant().truncatedTo(ChronoUnit.MILLIS).plus(properties.reviewAfter());
        reviews.insert(orderId, reviewAt);
        delayQueue.sendAfterCommit(DelayMessage.to(TOPIC)
                .id(orderId)
                .payload(new WriteReview(orderId))
                .dueAt(reviewAt)
                .build());
    }

    /**
     * Must be called inside the transaction that stores the customer's review. The message is cancelled after its commit. If
     * it is delivered before, it has no effect.
     */
    void withdraw(String orderId) {
        delayQueue.cancelAfterCommit(TOPIC, orderId);
    }

    @DelayListener(topic = TOPIC, once = "true")
    void review(WriteReview message, Delivery delivery) {
        if (reviews.rate(message.orderId(), FRIENDLY, true)) {
            journal.handled(message.orderId(), delivery, "Reviewed automatically: five stars.");
        }
    }
}
