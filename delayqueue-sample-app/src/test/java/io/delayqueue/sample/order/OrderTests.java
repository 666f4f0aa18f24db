package io.delayqueue.sample.order;

import static io.delayqueue.sample.Shop.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.sample.SampleTest;
import io.delayqueue.sample.Shop;
import io.delayqueue.template.DelayQueueOperations;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.MediaType;

@SampleTest
class OrderTests {

    @Autowired
    private Shop shop;

    @Autowired
    private OrderService orders;

    @Autowired
    private DelayQueueOperations delayQueue;

    @Test
    void cancellationIsDueAtTheEndOfThePaymentWindow() {
        shop.post("/orders", Map.of("item", "Teapot", "amount", 24.5))
                .expectStatus()
                .isCreated()
                .expectHeader()
                .exists("Location")
                .expectBody()
                .jsonPath("$.status")
                .isEqualTo("PENDING_PAYMENT")
                .jsonPath("$.amount")
                .isEqualTo(24.50);

        Order order = orders.get(shop.order("Teapot"));
        MessageSnapshot cancellation =
                delayQueue.find(UnpaidOrders.TOPIC, order.id()).orElseThrow();

        assertThat(order.cancelAt()).isEqualTo(order.createdAt().plus(Duration.ofMinutes(30)));
        assertThat(cancellation.dueAt()).isEqualTo(order.cancelAt());
    }

    @Test
    void paymentCancelsTheCancellation() {
        String id = shop.order("Teapot");

        shop.act(id, "pay").expectStatus().isOk();

        assertThat(shop.status(id)).isEqualTo("PAID");
        awaitNoMessage(id);
        assertThat(shop.journal(id)).contains("Cancelled the delayed message by its id: the order stays.");
    }

    @Test
    void moreTimeReschedulesTheCancellation() {
        String id = shop.order("Teapot");
        Order order = orders.get(id);

        shop.act(id, "postpone").expectStatus().isOk();

        Order postponed = orders.get(id);
        assertThat(postponed.cancelAt()).isEqualTo(order.cancelAt().plus(Duration.ofMinutes(30)));
        assertThat(delayQueue.find(UnpaidOrders.TOPIC, id).orElseThrow().dueAt())
                .isEqualTo(postponed.cancelAt());
        assertThat(shop.journal(id)).last().asString().startsWith("Asked for more time:");
    }

    @Test
    void orderWhoseMessageIsGoneGetsNoMoreTime() {
        String id = shop.order("Teapot");
        Order order = orders.get(id);
        delayQueue.cancel(UnpaidOrders.TOPIC, id);

        shop.act(id, "postpone").expectStatus().isEqualTo(409);

        assertThat(orders.get(id)).isEqualTo(order);
    }

    @Test
    void cancellationAfterThePaymentDoesNothing() {
        String id = shop.paidOrder("Teapot");
        awaitNoMessage(id);

        delayQueue.send(DelayMessage.to(UnpaidOrders.TOPIC)
                .id(id)
                .payload(new CancelOrder(id))
                .build());
        awaitNoMessage(id);

        assertThat(shop.status(id)).isEqualTo("PAID");
    }

    private void awaitNoMessage(String id) {
        await().until(() -> delayQueue.find(UnpaidOrders.TOPIC, id).isEmpty());
    }

    @Test
    void latestOrderIsFirst() {
        shop.order("Teapot");
        String latest = shop.order("Kettle");

        shop.get("/orders?limit=1")
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.length()")
                .isEqualTo(1)
                .jsonPath("$[0].id")
                .isEqualTo(latest);
    }

    @Test
    void invalidChangeIsAConflict() {
        String id = shop.paidOrder("Teapot");

        shop.act(id, "pay").expectStatus().isEqualTo(409);
        shop.act(id, "postpone").expectStatus().isEqualTo(409);
        shop.act(shop.order("Kettle"), "deliver").expectStatus().isEqualTo(409);
    }

    @Test
    void unknownOrderIsNotFound() {
        shop.get("/orders/7")
                .expectStatus()
                .isNotFound()
                .expectHeader()
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .expectBody()
                .jsonPath("$.detail")
                .isEqualTo("Order 7 does not exist.");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"item":" ","amount":1}        | The field 'item' is required.
            {"item":"Teapot"}              | The field 'amount' is required.
            {"item":"Teapot","amount":0}   | The field 'amount' must be at least 0.01.
            {"item":"Teapot","amount":"x"} | The field 'amount' has a value of the wrong type.
            {                              | The body is missing or is not JSON.
            """)
    void invalidInputIsRejected(String body, String sentence) {
        shop.post("/orders", body)
                .expectStatus()
                .isBadRequest()
                .expectHeader()
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .expectBody()
                .jsonPath("$.detail")
                .isEqualTo(sentence);
    }
}
