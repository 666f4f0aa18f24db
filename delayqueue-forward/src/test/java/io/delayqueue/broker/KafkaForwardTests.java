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

/** Kafka, in an application whose own producers wait for no acknowledgement. */
class KafkaForwardTests extends ForwardContract {

    @Override
    TestBroker newBroker() {
        return new KafkaTestBroker();
    }

    @Override
    void checkKey(String key) {
        assertThat(key).isEqualTo("customer-7");
    }

    @Override
    void checkNowhere(String failure) {
        assertThat(failure).containsAnyOf("UnknownTopicOrPartitionException", "not present in metadata");
    }

    @Test
    void keyIsTheIdByDefault() {
        delayQueue.send(
                DelayMessage.to("plain").id("without-keys").payload("text").build());
        harness.awaitAcknowledged("plain", "without-keys");

        assertThat(only(broker.take("plain"), "without-keys").key()).isEqualTo("without-keys");
    }

    @Test
    void userOfTheApplicationIsUsed() {
        List<String> properties = new ArrayList<>(forward(0, "sasl", "plain"));
        properties.addAll(((KafkaTestBroker) broker).properties("secret"));
        try (ConfigurableApplicationContext other = ForwardingApplication.start(broker, properties)) {
            other.getBean(DelayQueueTemplate.class)
                    .send(DelayMessage.to("sasl").id("known").payload("text").build());
            other.getBean(DelayQueueHarness.class).awaitAcknowledged("sasl", "known");
        }
        assertThat(only(broker.take("plain"), "known").body()).isEqualTo("text");
    }

    @Test
    void failedAuthenticationSpendsNoAttempt() {
        List<String> properties = new ArrayList<>(forward(0, "sasl", "plain", "max-attempts=1"));
        properties.addAll(((KafkaTestBroker) broker).properties("wrong"));
        try (ConfigurableApplicationContext other = ForwardingApplication.start(broker, properties)) {
            other.getBean(DelayQueueTemplate.class)
                    .send(DelayMessage.to("sasl").id("kept").payload("text").build());
            assertThat(awaitUnavailable(other, "sasl")).contains("Authentication failed");
            assertThat(other.getBean(DelayQueueAdmin.class).counts("sasl").dead())
                    .isZero();
        }
    }

    @Test
    void tooLargeMessageIsDeadLetteredWithItsCause() {
        delayQueue.send(
                DelayMessage.to("large").id("big").payload("x".repeat(200_000)).build());

        DeadLetter deadLetter = harness.awaitDead("large", "big");
        assertThat(deadLetter.failure().message()).contains("RecordTooLargeException");
    }
}
