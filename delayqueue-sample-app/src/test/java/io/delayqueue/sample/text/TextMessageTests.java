package io.delayqueue.sample.text;

import static io.delayqueue.sample.Shop.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.message.TopicLimits.Rate;
import io.delayqueue.sample.SampleTest;
import io.delayqueue.sample.Shop;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@SampleTest
class TextMessageTests {

    @Autowired
    private Shop shop;

    @Autowired
    private DelayQueueAdmin admin;

    @Test
    void fiveTextMessagesPerSecondAreSent() {
        assertThat(admin.limits(TextMessages.TOPIC).effective())
                .isEqualTo(new TopicLimits(null, Rate.parse("5/1s"), null));
    }

    @Test
    void topicWaitsIfTheProviderAsksForIt() {
        shop.textsPerSecond(0);
        String id = shop.paidOrder("Teapot");
        shop.act(id, "deliver").expectStatus().isOk();
        awaitEntry(id, "The provider of text messages asked to wait 1 s. (attempt 1,");

        shop.textsPerSecond(5);

        awaitEntry(id, "The customer was told by a text message. (attempt 1,");
    }

    private void awaitEntry(String id, String start) {
        await().untilAsserted(() -> assertThat(shop.journal(id)).anyMatch(text -> text.startsWith(start)));
    }
}
