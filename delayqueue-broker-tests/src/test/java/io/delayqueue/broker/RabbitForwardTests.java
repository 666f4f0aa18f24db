package io.delayqueue.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DelayMessage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** RabbitMQ, by an application whose own connections confirm nothing. */
@RequiresRabbit
class RabbitForwardTests extends ForwardContract {

    @Override
    TestBroker newBroker() {
        return NativeRabbit.isInstalled() ? new NativeRabbit() : new DockerRabbit();
    }

    @Override
    List<String> moreProperties() {
        List<String> properties = new ArrayList<>(forward(6, "missing", "missing", "max-attempts=2"));
        properties.addAll(forward(7, "queue", "", "routing-key=plain"));
        return properties;
    }

    @BeforeAll
    void declareAnUnboundExchange() {
        ((RabbitTestBroker) broker).createUnbound(TestBroker.NOWHERE);
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
    void exchangeThatIsMissingIsTheCause() {
        delayQueue.send(DelayMessage.to("missing").id("lost").payload("text").build());

        DeadLetter letter = harness.awaitDead("missing", "lost");
        assertThat(letter.failure().message()).contains("no exchange 'missing'");
    }

    @Test
    void withoutAnExchangeTheRoutingKeyNamesAQueue() {
        delayQueue.send(DelayMessage.to("queue").id("direct").payload("text").build());
        harness.awaitAcknowledged("queue", "direct");

        assertThat(only(broker.take("plain"), "direct").body()).isEqualTo("text");
    }

    @Test
    void messageThatIsTooLargeDiesWithItsCause() {
        delayQueue.send(DelayMessage.to("large")
                .id("big")
                .payload("x".repeat(RabbitTestBroker.LARGEST_MESSAGE + 1))
                .build());

        DeadLetter letter = harness.awaitDead("large", "big");
        assertThat(letter.failure().message()).contains("larger than configured max size");
    }
}
