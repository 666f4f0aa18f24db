package io.delayqueue.sample.warehouse;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.sample.ProfilesTest;
import io.delayqueue.sample.Shop;
import io.delayqueue.test.DelayQueueHarness;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** Forwarding with the profile {@code forward}. */
@ProfilesTest
class WarehouseTests {

    @Autowired
    private Shop shop;

    @Autowired
    private DelayQueueHarness queue;

    @Test
    void paidOrderIsPackedWhenItsMessageIsDue() {
        String order = shop.paidOrder("Teapot");
        queue.makeDue(Parcels.TOPIC, order);

        queue.awaitAcknowledged(Parcels.TOPIC, order);
        Shop.await()
                .untilAsserted(() -> assertThat(shop.journal(order))
                        .anySatisfy(text -> assertThat(text)
                                .startsWith("The warehouse packs a parcel: ")
                                .contains("Teapot")));
    }
}
