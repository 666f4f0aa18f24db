package io.delayqueue.sample.notice;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.annotation.DeadLetterListener;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Failure;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.sample.journal.Journal;
import io.delayqueue.sample.journal.JournalEntry.Actor;
import io.delayqueue.sample.order.Order;
import io.delayqueue.sample.order.OrderPaid;
import io.delayqueue.sample.outbox.Outbox;
import io.delayqueue.template.DelayQueueOperations;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClientException;

/** Tells the merchant of payments until the merchant has taken it. */
@Component
final class PaymentNotices implements Outbox {

    static final String TOPIC = "payment-notice";

    private static final Logger log = LoggerFactory.getLogger(PaymentNotices.class);
    private static final int RESENT = 200;

    private final DelayQueueOperations delayQueue;
    private final DelayQueueAdmin admin;
    private final NoticeTable notices;
    private final MerchantClient merchant;
    private final Journal journal;
    private final InstantSource clock;

    PaymentNotices(
            DelayQueueOperations delayQueue,
            DelayQueueAdmin admin,
            NoticeTable notices,
            MerchantClient merchant,
            Journal journal,
            InstantSource clock) {
        this.delayQueue = delayQueue;
        this.admin = admin;
        this.notices = notices;
        this.merchant = merchant;
        this.journal = journal;
        this.clock = clock;
    }

    /** Inside the transaction that stores the payment: the notice is stored with it, the message follows its commit. */
    @EventListener
    void announce(OrderPaid paid) {
        Order order = paid.order();
        PaymentNotice notice = new PaymentNotice(order.id(), order.item(), order.amount());
        notices.insert(notice, clock.instant());
        delayQueue.sendAfterCommit(message(notice));
    }

    /**
     * An exception has the notice told again after the next interval, and at the end of the list it is a dead letter; a
     * 4xx, by which the merchant refuses this very notice, makes it one at once.
     */
    @DelayListener(topic = TOPIC, backoff = "${sample.notice.intervals}", notRetryable = HttpClientErrorException.class)
    void tell(PaymentNotice notice, Delivery delivery) {
        try {
            merchant.tell(notice);
        } catch (RestClientException e) {
            journal.handled(notice.orderId(), delivery, "The merchant did not take the notice.");
            throw e;
        }
        notices.taken(notice.orderId());
        journal.handled(notice.orderId(), delivery, "The merchant has taken the notice.");
    }

    /** At least once for each death, hence an update that a second call doesn't repeat. */
    @DeadLetterListener(topic = TOPIC)
    void givenUp(DeadLetter letter) {
        Failure failure = letter.failure();
        String reason = failure == null ? letter.cause().name() : failure.message();
        if (notices.dead(letter.messageId(), letter.letterId(), reason)) {
            journal.add(
                    letter.messageId(),
                    Actor.QUEUE,
                    "The notice is a dead letter after %d attempts.".formatted(letter.attempts()));
        }
    }

    /**
     * Has a dead notice told again, from the first attempt on. To be called last in the transaction that stores it: if it
     * fails, the notice stays dead and may be replayed another time.
     */
    void replay(String letterId) {
        ReplayOutcome outcome = admin.replay(TOPIC, letterId);
        if (outcome != ReplayOutcome.REPLAYED) {
            // Dropped by retention, or sent by somebody else: the outbox sends it if nobody did.
            log.info("Dead letter {} was not replayed: {}", letterId, outcome);
        }
    }

    @Override
    public List<DelayMessage> overdue(Instant before) {
        return notices.pendingSince(before, RESENT).stream()
                .map(PaymentNotices::message)
                .toList();
    }

    private static DelayMessage message(PaymentNotice notice) {
        return DelayMessage.to(TOPIC).id(notice.orderId()).payload(notice).build();
    }
}
