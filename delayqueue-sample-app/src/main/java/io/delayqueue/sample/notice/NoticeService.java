package io.delayqueue.sample.notice;

import io.delayqueue.sample.journal.Journal;
import io.delayqueue.sample.journal.JournalEntry.Actor;
import io.delayqueue.sample.outbox.StoreThenSend;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import org.springframework.stereotype.Service;

/** Tells what became of notices, and has dead ones told again. Thread-safe. */
@Service
public final class NoticeService {

    private final NoticeTable notices;
    private final PaymentNotices paymentNotices;
    private final StoreThenSend storeThenSend;
    private final Journal journal;
    private final InstantSource clock;

    NoticeService(
            NoticeTable notices,
            PaymentNotices paymentNotices,
            StoreThenSend storeThenSend,
            Journal journal,
            InstantSource clock) {
        this.notices = notices;
        this.paymentNotices = paymentNotices;
        this.storeThenSend = storeThenSend;
        this.journal = journal;
        this.clock = clock;
    }

    /**
     * Has a dead notice told again.
     *
     * @return whether it was dead, of this letter
     */
    boolean replay(String orderId, String letterId) {
        return storeThenSend.run(() -> {
            if (!notices.replayed(orderId, letterId, clock.instant())) {
                return false;
            }
            journal.add(orderId, Actor.SHOP, "Has the notice told again.");
            paymentNotices.replay(letterId);
            return true;
        });
    }

    /** The notices of some orders, of those that are paid. */
    public List<Notice> of(Collection<String> orderIds) {
        return notices.of(orderIds);
    }
}
