package io.delayqueue.sample.notice;

import io.delayqueue.sample.journal.Journal;
import io.delayqueue.sample.journal.JournalEntry.Actor;
import io.delayqueue.sample.outbox.StoreThenSend;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import org.springframework.stereotype.Service;

/** Finds notices and replays dead ones. Thread-safe. */
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
     * Replays a dead notice.
     *
     * @return whether the notice was dead with this dead letter
     */
    boolean replay(String orderId, String deadLetterId) {
        return storeThenSend.run(() -> {
            if (!notices.replayed(orderId, deadLetterId, clock.instant())) {
                return false;
            }
            journal.add(orderId, Actor.SHOP, "Replayed the notice.");
            paymentNotices.replay(deadLetterId);
            return true;
        });
    }

    /** The notices of orders, if they are paid. */
    public List<Notice> of(Collection<String> orderIds) {
        return notices.of(orderIds);
    }
}
