package io.delayqueue.sample.review;

import jakarta.validation.Valid;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Reviews over HTTP. */
@RestController
final class ReviewController {

    private final ReviewService reviews;

    ReviewController(ReviewService reviews) {
        this.reviews = reviews;
    }

    @PostMapping("/orders/{id}/review")
    Review rate(@PathVariable String id, @Valid @RequestBody NewReview review) {
        return reviews.rate(id, review.stars());
    }
}
