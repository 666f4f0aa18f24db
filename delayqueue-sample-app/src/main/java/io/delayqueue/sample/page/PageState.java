package io.delayqueue.sample.page;

import io.delayqueue.sample.crowd.CrowdSize;
import io.delayqueue.sample.journal.JournalEntry;
import io.delayqueue.sample.notice.Behaviour;
import io.delayqueue.sample.notice.Notice;
import io.delayqueue.sample.order.Order;
import io.delayqueue.sample.review.Review;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that the page shows.
 *
 * @param now the server's clock, by which countdowns are counted
 * @param merchant how the merchant answers at present
 * @param crowd how many customers come by themselves at present
 * @param orders the latest orders, the latest first
 * @param journal what happened since the page last asked
 */
record PageState(Instant now, Behaviour merchant, CrowdSize crowd, List<Line> orders, List<JournalEntry> journal) {

    /** An order and what other features know of it. */
    record Line(
            Order order, @Nullable Notice notice, @Nullable Review review) {}
}
