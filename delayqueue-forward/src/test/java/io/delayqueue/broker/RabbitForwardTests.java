package io.delayqueue.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.broker.ForwardingApplication.Seen;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DelayMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** RabbitMQ, in an application whose own connections do not use confirms. */
@RequiresRabbit
class RabbitForwardTests extends ForwardContract {

    @Override
    TestBroker newBroker() {
        return NativeRabbit.isInstalled() ? new NativeRabbit() : new DockerRabbit();
    }

    @Override
    List<String> moreProperties() {
        List<String> properties = new ArrayList<>(forward(8, "missing", "missing", "max-attempts=2"));
        properties.addAll(forward(9, "queue", "", "routing-key=plain"));
        properties.addAll(forward(10, "odd", "odd", "max-attempts=1"));
        properties.addAll(forward(11, "alarm", "alarm", "send-timeout=2s"));
        return properties;
    }

    @BeforeAll
    void declareMore() {
        ((RabbitTestBroker) broker).createUnbound(TestBroker.NOWHERE);
        List.of("odd", "alarm").forEach(broker::create);
    }

    @Override
    void checkKey(String key) {
        assertThat(key).isEqualTo("order-1");
    }

    @Override
    void checkNowhere(String failure) {
        assertThat(failure)
                .contains("RabbitMQ returned it: 312 NO_ROUTE", "exchange 'nowhere'", "routing key 'nowhere'");
    }

    @Test
    void missingExchangeIsTheCauseOfTheFailure() {
        delayQueue.send(DelayMessage.to("missing").id("lost").payload("text").build());

        DeadLetter deadLetter = harness.awaitDead("missing", "lost");
        assertThat(deadLetter.failure().message()).contains("no exchange 'missing'");
    }

    @Test
    void withoutAnExchangeTheRoutingKeyNamesAQueue() {
        delayQueue.send(DelayMessage.to("queue").id("direct").payload("text").build());
        harness.awaitAcknowledged("queue", "direct");

        assertThat(only(broker.take("plain"), "direct").body()).isEqualTo("text");
    }

    @Test
    void tooLargeMessageIsDeadLetteredWithItsCause() {
        delayQueue.send(DelayMessage.to("large")
                .id("big")
                .payload("x".repeat(RabbitTestBroker.LARGEST_MESSAGE + 1))
                .build());

        DeadLetter deadLetter = harness.awaitDead("large", "big");
        assertThat(deadLetter.failure().message()).contains("larger than configured max size");
    }

    @Test
    void failedWriteDoesNotShiftTheConfirmsOfOtherMessages() {
        String longest = "i".repeat(256);
        List<DelayMessage> messages = new ArrayList<>(List.of(
                DelayMessage.to("odd").id(longest).payload("text").build(),
                DelayMessage.to("odd")
                        .id("lists")
                        .payload("text")
                        .header("CC", "plain")
                        .header("BCC", "plain")
                        .build(),
                DelayMessage.to("odd")
                        .id("name")
                        .payload("text")
                        .header("n".repeat(300), "x")
                        .build()));
        delayQueue.sendAll(messages);
        harness.awaitAcknowledged("odd", longest);
        harness.awaitAcknowledged("odd", "lists");
        assertThat(harness.awaitDead("odd", "name").failure().message())
                .contains("The name of a header is at most 255 bytes long in RabbitMQ, but 'nnn", "' has 300");

        delayQueue.send(DelayMessage.to("odd")
                .id("inflated")
                .payload("text")
                .header(ForwardingApplication.INFLATE, "200000")
                .build());
        assertThat(harness.awaitDead("odd", "inflated").failure().message()).contains("max frame size");
        for (String id : List.of("after1", "after2")) {
            delayQueue.send(DelayMessage.to("odd").id(id).payload("text").build());
            harness.awaitAcknowledged("odd", id);
        }

        assertThat(broker.take("odd").stream().map(Received::id))
                .containsExactlyInAnyOrder(longest, "lists", "after1", "after2");
    }

    @Test
    void sendOnABlockedConnectionFails() {
        RabbitTestBroker rabbit = (RabbitTestBroker) broker;
        Seen seen = application.getBean(Seen.class);
        rabbit.alarm(true);
        try {
            delayQueue.send(DelayMessage.to("alarm").id("held").payload("text").build());
            await().dontCatchUncaughtExceptions()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> awaitUnavailable("alarm").contains("RabbitMQ has blocked the connection: "));
            assertThat(seen.acknowledged).doesNotContain("held");
        } finally {
            rabbit.alarm(false);
        }
        harness.awaitAcknowledged("alarm", "held");
        assertThat(broker.take("alarm").stream().map(Received::id)).contains("held");
    }
}
