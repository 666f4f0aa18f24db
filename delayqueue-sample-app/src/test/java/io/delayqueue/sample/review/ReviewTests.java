package io.delayqueue.sample.review;

import static io.delayqueue.sample.Shop.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.sample.SampleTest;
import io.delayqueue.sample.Shop;
import io.delayqueue.template.DelayQueueOperations;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@SampleTest
class ReviewTests {

    @Autowired
    private Shop shop;

    @Autowired
    private DelayQueueOperations delayQueue;

    @Test
    void deliveredOrderIsReviewedAutomatically() {
        String id = deliveredOrder();

        assertThat(delayQueue.reschedule(AutomaticReviews.TOPIC, id, Duration.ZERO))
                .isEqualTo(RescheduleOutcome.RESCHEDULED);

        await().until(() -> Integer.valueOf(5).equals(review(id).get("stars")));
        assertThat(review(id)).containsEntry("automatic", true);
    }

    @Test
    void reviewOfTheCustomerCancelsTheAutomaticOne() {
        String id = deliveredOrder();

        shop.post("/orders/" + id + "/review", Map.of("stars", 2))
                .expectStatus()
                .isOk();

        assertThat(review(id)).containsEntry("stars", 2).containsEntry("automatic", false);
        await().until(() -> delayQueue.find(AutomaticReviews.TOPIC, id).isEmpty());
    }

    @Test
    void orderIsReviewedOnce() {
        String id = deliveredOrder();
        shop.post("/orders/" + id + "/review", Map.of("stars", 2))
                .expectStatus()
                .isOk();

        shop.post("/orders/" + id + "/review", Map.of("stars", 3))
                .expectStatus()
                .isEqualTo(409);
    }

    @Test
    void undeliveredOrderCannotBeReviewed() {
        String id = shop.paidOrder("Teapot");

        shop.post("/orders/" + id + "/review", Map.of("stars", 3))
                .expectStatus()
                .isEqualTo(409);
    }

    @Test
    void starsAreOneToFive() {
        shop.post("/orders/" + deliveredOrder() + "/review", Map.of("stars", 6))
                .expectStatus()
                .isBadRequest()
                .expectBody()
                .jsonPath("$.detail")
                .isEqualTo("The field 'stars' must be from 1 to 5.");
    }

    private String deliveredOrder() {
        String id = shop.paidOrder("Teapot");
        shop.act(id, "deliver").expectStatus().isOk();
        return id;
    }

    private Map<String, Object> review(String id) {
        return shop.line(id, "review");
    }
}
