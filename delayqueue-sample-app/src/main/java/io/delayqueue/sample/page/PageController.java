package io.delayqueue.sample.page;

import io.delayqueue.sample.crowd.Crowd;
import io.delayqueue.sample.journal.Journal;
import io.delayqueue.sample.notice.Merchant;
import io.delayqueue.sample.notice.Notice;
import io.delayqueue.sample.notice.NoticeService;
import io.delayqueue.sample.order.Order;
import io.delayqueue.sample.order.OrderService;
import io.delayqueue.sample.review.Review;
import io.delayqueue.sample.review.ReviewService;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.core.env.Environment;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Provides the data that the page requests each second, in one response so that it is consistent. */
@RestController
final class PageController {

    private static final int ORDERS = 30;

    private final OrderService orders;
    private final NoticeService notices;
    private final ReviewService reviews;
    private final Merchant merchant;
    private final Crowd crowd;
    private final Journal journal;
    private final InstantSource clock;
    private final Environment environment;

    PageController(
            OrderService orders,
            NoticeService notices,
            ReviewService reviews,
            Merchant merchant,
            Crowd crowd,
            Journal journal,
            InstantSource clock,
            Environment environment) {
        this.orders = orders;
        this.notices = notices;
        this.reviews = reviews;
        this.merchant = merchant;
        this.crowd = crowd;
        this.journal = journal;
        this.clock = clock;
        this.environment = environment;
    }

    /**
     * Returns all data of the page.
     *
     * @param after the latest journal entry that the page has, 0 for none
     */
    @GetMapping("/page/state")
    PageState state(@RequestParam(defaultValue = "0") long after) {
        List<Order> latest = orders.latestReal(ORDERS);
        List<String> ids = latest.stream().map(Order::id).toList();
        Map<String, Notice> noticeOf =
                notices.of(ids).stream().collect(Collectors.toMap(Notice::orderId, Function.identity()));
        Map<String, Review> reviewOf =
                reviews.of(ids).stream().collect(Collectors.toMap(Review::orderId, Function.identity()));
        List<PageState.Line> lines = latest.stream()
                .map(order -> new PageState.Line(order, noticeOf.get(order.id()), reviewOf.get(order.id())))
                .toList();
        return new PageState(
                clock.instant(),
                merchant.behaviour(),
                crowd.size(),
                orders.countSimulated(),
                List.of(environment.getActiveProfiles()),
                lines,
                journal.after(after));
    }
}
