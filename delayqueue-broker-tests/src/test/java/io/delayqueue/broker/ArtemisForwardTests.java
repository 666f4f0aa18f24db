package io.delayqueue.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DelayMessage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** JMS by Artemis, by an application without a cache of connections. */
class ArtemisForwardTests extends ForwardContract {

    @Override
    TestBroker newBroker() {
        return new ArtemisTestBroker();
    }

    @Override
    List<String> moreProperties() {
        List<String> properties = new ArrayList<>(forward(6, "full", "full", "max-attempts=2"));
        properties.addAll(forward(7, "names", "names"));
        return properties;
    }

    @Override
    void checkKey(String key) {
        assertThat(key).isEmpty();
    }

    @Override
    void checkNowhere(String failure) {
        assertThat(failure).contains("There is no queue with name nowhere");
    }

    @Test
    void messageForAFullDestinationDiesWithItsCause() {
        for (int i = 0; i < 3; i++) {
            delayQueue.send(DelayMessage.to("full")
                    .id("big" + i)
                    .payload("x".repeat(8_000))
                    .build());
        }

        DeadLetter letter = harness.awaitDead("full", "big2");
        assertThat(letter.failure().message()).contains("is full");
    }

    @Test
    void namesOfHeadersBecomeIdentifiers() {
        delayQueue.send(DelayMessage.to("names")
                .id("named")
                .payload("text")
                .header("content-type", "text/plain")
                .header("order.no", "4711")
                .header("x-tenant", "a b")
                .build());
        harness.awaitAcknowledged("names", "named");

        Received received = only(broker.take("names"), "named");
        assertThat(received.contentType()).isEqualTo("text/plain");
        assertThat(received.headers()).containsEntry("order_DOT_no", "4711").containsEntry("x_HYPHEN_tenant", "a b");
    }
}
