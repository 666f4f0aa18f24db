package io.delayqueue.sample.warehouse;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.sample.EmbeddedBroker;
import io.delayqueue.sample.SampleTest;
import io.delayqueue.sample.Shop;
import io.delayqueue.test.DelayQueueHarness;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.TestPropertySource;

/** Forwarding with the profile {@code forward}. */
@SampleTest
@ActiveProfiles("forward")
@Import(EmbeddedBroker.class)
@TestPropertySource(properties = {"delayqueue.namespace=sample-forward", "sample.warehouse.pack-after=1h"})
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
