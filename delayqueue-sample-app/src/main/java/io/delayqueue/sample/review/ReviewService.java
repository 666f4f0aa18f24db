package io.delayqueue.sample.review;

import io.delayqueue.sample.journal.Journal;
import io.delayqueue.sample.journal.JournalEntry.Actor;
import io.delayqueue.sample.order.OrderService;
import io.delayqueue.sample.order.OrderStatus;
import java.util.Collection;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.server.ResponseStatusException;

/** Stores the reviews of customers, each in a transaction. Thread-safe. */
@Service
@Transactional
public class ReviewService {

    private final OrderService orders;
    private final ReviewTable reviews;
    private final AutomaticReviews automaticReviews;
    private final Journal journal;

    ReviewService(OrderService orders, ReviewTable reviews, AutomaticReviews automaticReviews, Journal journal) {
        this.orders = orders;
        this.reviews = reviews;
        this.automaticReviews = automaticReviews;
        this.journal = journal;
    }

    Review rate(String orderId, int stars) {
        if (orders.get(orderId).status() != OrderStatus.DELIVERED) {
            throw new ResponseStatusException(
                    HttpStatus.CONFLICT, "Order " + orderId + " is not delivered and cannot be reviewed.");
        }
        if (!reviews.rate(orderId, stars, false)) {
            throw new ResponseStatusException(HttpStatus.CONFLICT, "Order " + orderId + " is already reviewed.");
        }
        journal.add(orderId, Actor.CUSTOMER, "Reviewed: " + stars + " of 5 stars.");
        automaticReviews.withdraw(orderId);
        return of(List.of(orderId)).get(0);
    }

    /** The existing and pending reviews of orders. */
    public List<Review> of(Collection<String> orderIds) {
        return reviews.of(orderIds);
    }
}
