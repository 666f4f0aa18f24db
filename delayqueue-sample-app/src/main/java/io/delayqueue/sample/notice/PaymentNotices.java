package io.delayqueue.sample.notice;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.annotation.DeadLetterListener;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Failure;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.sample.JsonClient;
import io.delayqueue.sample.SampleProperties;
import io.delayqueue.sample.journal.Journal;
import io.delayqueue.sample.journal.JournalEntry.Actor;
import io.delayqueue.sample.order.Order;
import io.delayqueue.sample.order.OrderPaid;
import io.delayqueue.template.DelayQueueOperations;
import org.springframework.context.event.EventListener;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClientException;
import org.springframework.web.server.ResponseStatusException;

/** Notifies the merchant of payments until the merchant accepts the notice. */
@Component
final class PaymentNotices {

    static final String TOPIC = "payment-notice";

    private final DelayQueueOperations delayQueue;
    private final DelayQueueAdmin admin;
    private final NoticeTable notices;
    private final JsonClient http;
    private final SampleProperties properties;
    private final Journal journal;

    PaymentNotices(
            DelayQueueOperations delayQueue,
            DelayQueueAdmin admin,
            NoticeTable notices,
            JsonClient http,
            SampleProperties properties,
            Journal journal) {
        this.delayQueue = delayQueue;
        this.admin = admin;
        this.notices = notices;
        this.http = http;
        this.properties = properties;
        this.journal = journal;
    }

    /** Must be called inside the transaction that stores the payment. The message is sent after its commit. */
    @EventListener
    void announce(OrderPaid paid) {
        Order order = paid.order();
        notices.insert(order.id());
        delayQueue.sendAfterCommit(DelayMessage.to(TOPIC)
                .id(order.id())
                .payload(new PaymentNotice(order.id(), order.item(), order.amount()))
                .build());
    }

    /**
     * If an exception is thrown, the notice is retried after the next delay of the list, and becomes a dead letter
     * after the last one. If the merchant rejects the notice with a 4xx status, it becomes a dead letter at once.
     *
     * <p>The listener has no {@code once}: a request to the merchant cannot be rolled back, and the journal shows failed
     * attempts. The merchant may receive a notice twice and recognises it by the order.
     */
    @DelayListener(topic = TOPIC, backoff = "${sample.notice.intervals}", notRetryable = HttpClientErrorException.class)
    void tell(PaymentNotice notice, Delivery delivery) {
        try {
            http.post(properties.notice().url(), notice.orderId(), notice);
        } catch (RestClientException e) {
            journal.handled(notice.orderId(), delivery, "The merchant did not accept the notice.");
            throw e;
        }
        notices.accepted(notice.orderId());
        journal.handled(notice.orderId(), delivery, "The merchant accepted the notice.");
    }

    /** Called at least once for each dead letter. Therefore the update is idempotent. */
    @DeadLetterListener(topic = TOPIC)
    void givenUp(DeadLetter deadLetter) {
        Failure failure = deadLetter.failure();
        String reason = failure == null ? deadLetter.cause().name() : failure.message();
        if (notices.dead(deadLetter.messageId(), deadLetter.deadLetterId(), reason)) {
            journal.add(
                    deadLetter.messageId(),
                    Actor.QUEUE,
                    "The notice is a dead letter after %s attempts.".formatted(deadLetter.attempts()));
        }
    }

    /**
     * Replays a dead notice, starting from its first attempt. Must be the last call in the transaction that stores the
     * change: if it fails, the notice stays dead and can be replayed later.
     *
     * @throws ResponseStatusException if the queue no longer has the dead letter
     */
    void replay(String deadLetterId) {
        ReplayOutcome outcome = admin.replay(TOPIC, deadLetterId);
        if (outcome != ReplayOutcome.REPLAYED) {
            throw new ResponseStatusException(
                    HttpStatus.CONFLICT, "Dead letter " + deadLetterId + " was not replayed: " + outcome + ".");
        }
    }
}
