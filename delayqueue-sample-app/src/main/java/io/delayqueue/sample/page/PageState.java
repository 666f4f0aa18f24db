package io.delayqueue.sample.page;

import io.delayqueue.sample.crowd.CrowdSize;
import io.delayqueue.sample.journal.JournalEntry;
import io.delayqueue.sample.notice.Behaviour;
import io.delayqueue.sample.notice.Notice;
import io.delayqueue.sample.order.Order;
import io.delayqueue.sample.order.OrderStatus;
import io.delayqueue.sample.review.Review;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The data of the page.
 *
 * @param now the time of the server's clock, for countdowns
 * @param merchant the current behaviour of the merchant
 * @param crowd the current number of simulated customers
 * @param simulated the number of orders of simulated customers with each status
 * @param profiles the active profiles
 * @param orders the latest orders of other customers, newest first
 * @param journal the entries since the previous request of the page
 */
record PageState(
        Instant now,
        Behaviour merchant,
        CrowdSize crowd,
        Map<OrderStatus, Long> simulated,
        List<String> profiles,
        List<Line> orders,
        List<JournalEntry> journal) {

    /** An order with its notice and its review. */
    record Line(
            Order order, @Nullable Notice notice, @Nullable Review review) {}
}
