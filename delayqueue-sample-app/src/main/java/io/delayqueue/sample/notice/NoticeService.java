package io.delayqueue.sample.notice;

import io.delayqueue.sample.journal.Journal;
import io.delayqueue.sample.journal.JournalEntry.Actor;
import java.util.Collection;
import java.util.List;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Finds notices and replays dead ones. Thread-safe. */
@Service
public class NoticeService {

    private final NoticeTable notices;
    private final PaymentNotices paymentNotices;
    private final Journal journal;

    NoticeService(NoticeTable notices, PaymentNotices paymentNotices, Journal journal) {
        this.notices = notices;
        this.paymentNotices = paymentNotices;
        this.journal = journal;
    }

    /**
     * Replays a dead notice.
     *
     * @return whether the notice was dead with this dead letter
     */
    @Transactional
    boolean replay(String orderId, String deadLetterId) {
        if (!notices.replayed(orderId, deadLetterId)) {
            return false;
        }
        journal.add(orderId, Actor.SHOP, "Replayed the notice.");
        paymentNotices.replay(deadLetterId);
        return true;
    }

    /** The notices of orders, if they are paid. */
    public List<Notice> of(Collection<String> orderIds) {
        return notices.of(orderIds);
    }
}
