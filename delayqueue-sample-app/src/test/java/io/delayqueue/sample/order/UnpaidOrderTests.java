package io.delayqueue.sample.order;

import static io.delayqueue.sample.Shop.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.sample.SampleTest;
import io.delayqueue.sample.Shop;
import io.delayqueue.template.DelayQueueOperations;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;

@SampleTest
@TestPropertySource(properties = {"delayqueue.namespace=sample-unpaid", "sample.payment-window=1s"})
class UnpaidOrderTests {

    @Autowired
    private Shop shop;

    @Autowired
    private DelayQueueOperations delayQueue;

    @Test
    void isCancelledWhenItsPaymentWindowIsOver() {
        String id = shop.order("Teapot");

        await().until(() -> shop.status(id).equals("CANCELLED"));

        assertThat(shop.journal(id)).hasSize(2).last().asString().startsWith("Cancelled: not paid in time.");
        await().until(() -> delayQueue.find(UnpaidOrders.TOPIC, id).isEmpty());
    }

    @Test
    void cannotBePaidAfterwards() {
        String id = shop.order("Teapot");
        await().until(() -> shop.status(id).equals("CANCELLED"));

        shop.act(id, "pay")
                .expectStatus()
                .isEqualTo(409)
                .expectBody()
                .jsonPath("$.detail")
                .isEqualTo("Order " + id + " was cancelled, since it was not paid in time.");
    }
}
