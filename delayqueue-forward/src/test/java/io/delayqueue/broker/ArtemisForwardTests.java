package io.delayqueue.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.DelayQueueHarness;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jms.connection.CachingConnectionFactory;

/** JMS with Artemis. Except in one test, the application does not cache connections. */
class ArtemisForwardTests extends ForwardContract {

    @Override
    TestBroker newBroker() {
        return new ArtemisTestBroker();
    }

    @Override
    List<String> moreProperties() {
        List<String> properties = new ArrayList<>(forward(8, "full", "full", "max-attempts=2"));
        properties.addAll(forward(9, "names", "names"));
        properties.addAll(forward(10, "news", "topic", "pub-sub=true"));
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
    void messageForAFullDestinationIsDeadLetteredWithItsCause() {
        // one at a time, because the number that fits depends on messages in transit
        List<DeadLetter> dead = List.of();
        for (int i = 0; i < 3 && dead.isEmpty(); i++) {
            sendBig("big" + i);
            harness.awaitEmpty("full");
            dead = application
                    .getBean(DelayQueueAdmin.class)
                    .deadLetters("full", 10)
                    .deadLetters();
        }

        assertThat(dead)
                .singleElement()
                .satisfies(
                        deadLetter -> assertThat(deadLetter.failure().message()).contains("is full"));
    }

    private void sendBig(String id) {
        delayQueue.send(
                DelayMessage.to("full").id(id).payload("x".repeat(8_000)).build());
    }

    @Test
    void eachSubscriptionOfATopicGetsTheMessage() {
        delayQueue.send(DelayMessage.to("news").id("news-1").payload("text").build());
        harness.awaitAcknowledged("news", "news-1");

        for (String subscription : List.of("topic::one", "topic::other")) {
            assertThat(only(broker.take(subscription), "news-1").body()).isEqualTo("text");
        }
    }

    @Test
    void whatIsNoTextGoesAsBytes() {
        delayQueue.send(DelayMessage.to("names")
                .id("bytes")
                .payload(new byte[] {(byte) 0xff, 0, 1})
                .build());
        harness.awaitAcknowledged("names", "bytes");

        assertThat(only(broker.take("names"), "bytes").body()).isEqualTo("bytes ff0001");
    }

    @Test
    void cachedConnectionOfTheApplicationIsNotUsed() {
        List<String> properties = new ArrayList<>(forward(0, "plain", "plain"));
        properties.add("test.artemis-cached=true");
        try (ConfigurableApplicationContext other = ForwardingApplication.start(broker, properties)) {
            other.getBean(DelayQueueTemplate.class)
                    .send(DelayMessage.to("plain").id("apart").payload("text").build());
            other.getBean(DelayQueueHarness.class).awaitAcknowledged("plain", "apart");
            assertThat(other.getBean(CachingConnectionFactory.class).getCachedSessionCount())
                    .isZero();
        }
        assertThat(only(broker.take("plain"), "apart").body()).isEqualTo("text");
    }

    @Test
    void headerNamesAreEncodedAsIdentifiers() {
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
