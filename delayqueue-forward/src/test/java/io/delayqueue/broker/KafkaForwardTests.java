package io.delayqueue.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DelayMessage;
import org.junit.jupiter.api.Test;

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
    void tooLargeMessageIsDeadLetteredWithItsCause() {
        delayQueue.send(
                DelayMessage.to("large").id("big").payload("x".repeat(200_000)).build());

        DeadLetter deadLetter = harness.awaitDead("large", "big");
        assertThat(deadLetter.failure().message()).contains("RecordTooLargeException");
    }
}
