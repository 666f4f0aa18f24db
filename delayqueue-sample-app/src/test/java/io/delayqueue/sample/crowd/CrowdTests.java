package io.delayqueue.sample.crowd;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.sample.SampleTest;
import io.delayqueue.sample.Shop;
import io.delayqueue.sample.order.Order;
import io.delayqueue.sample.order.OrderService;
import io.delayqueue.sample.order.OrderStatus;
import java.math.BigDecimal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@SampleTest
class CrowdTests {

    @Autowired
    private Shop shop;

    @Autowired
    private OrderService orders;

    @Autowired
    private Crowd crowd;

    @AfterEach
    void stopCustomers() {
        crowd.resize(CrowdSize.NONE);
    }

    @Test
    void customersOrder() {
        shop.crowd("MANY");

        Shop.await().untilAsserted(() -> assertThat(orders.latest(40)).hasSizeGreaterThan(20));
        shop.get("/page/state")
                .expectBody()
                .jsonPath("$.crowd")
                .isEqualTo("MANY")
                .jsonPath("$.simulated.PENDING_PAYMENT")
                .exists();
    }

    @Test
    void ordersOfSimulatedCustomersHideNoOthers() {
        String mine = shop.order("Teapot");
        String simulated = orders.simulate("Kettle", BigDecimal.TEN).id();

        assertThat(orders.latestReal(10)).extracting(Order::id).contains(mine).doesNotContain(simulated);
        assertThat(shop.journal(mine)).isNotEmpty();
        assertThat(shop.journal(simulated)).isEmpty();
    }

    @Test
    void customersPayAndReceiveTheirOrders() {
        String id = shop.order("Teapot");

        crowd.run(new Errand(id, Errand.Kind.PAY));
        crowd.run(new Errand(id, Errand.Kind.DELIVER));

        assertThat(orders.get(id)).extracting(Order::status).isEqualTo(OrderStatus.DELIVERED);
    }

    @Test
    void settledOrderIsNotChanged() {
        String id = shop.paidOrder("Teapot");

        crowd.run(new Errand(id, Errand.Kind.PAY));

        assertThat(orders.get(id)).extracting(Order::status).isEqualTo(OrderStatus.PAID);
    }
}
