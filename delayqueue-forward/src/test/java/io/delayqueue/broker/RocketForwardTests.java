package io.delayqueue.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DelayMessage;
import org.apache.rocketmq.common.message.MessageExt;
import org.junit.jupiter.api.Test;

/** RocketMQ, with the template of the application. */
class RocketForwardTests extends ForwardContract {

    @Override
    TestBroker newBroker() {
        return new RocketTestBroker();
    }

    @Override
    void checkKey(String key) {
        assertThat(key).isEqualTo("customer-7");
    }

    @Override
    void checkNowhere(String failure) {
        assertThat(failure).contains("No route info of this topic: nowhere");
    }

    @Test
    void tagsAndKeysAreThoseOfRocketMq() {
        delayQueue.send(DelayMessage.to("plain")
                .id("tagged")
                .payload("text")
                .header("tags", "vip")
                .header("keys", "order-1 customer-7")
                .header("TAGS", "forged")
                .header("blank", " ")
                .build());
        harness.awaitAcknowledged("plain", "tagged");

        MessageExt message = ((RocketTestBroker) broker)
                .messages("plain").stream()
                        .filter(each -> "tagged".equals(each.getProperty("delayqueue_id")))
                        .findFirst()
                        .orElseThrow();
        assertThat(message.getTags()).isEqualTo("vip");
        assertThat(message.getKeys()).isEqualTo("order-1 customer-7");
        assertThat(message.getProperty("blank")).isNull();
    }

    @Test
    void headerThatRocketMqCannotEncodeIsRejected() {
        delayQueue.send(DelayMessage.to("nowhere")
                .id("control")
                .payload("text")
                .header("name", "a\u0001b")
                .build());
        assertThat(harness.awaitDead("nowhere", "control").failure().message()).contains("U+0001");
    }
}
