package io.delayqueue.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.delayqueue.forward.rocket.RocketBroker;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.test.redis.TestPorts;
import io.delayqueue.testing.ServerProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.apache.rocketmq.client.common.ClientErrorCode;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageExt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    /** As after the start of a name server, until the brokers register with it. */
    @Test
    void nameServerWithoutBrokersIsUnavailable() throws Exception {
        Path directory = ServerProcess.newDirectory("rocketmq-names");
        String port = String.valueOf(TestPorts.free());
        DefaultMQProducer producer = new DefaultMQProducer("no-brokers");
        producer.setNamesrvAddr("127.0.0.1:" + port);
        producer.setInstanceName("no-brokers");
        RocketBroker unregistered = new RocketBroker(producer);
        producer.start();
        try (ServerProcess names =
                ServerProcess.java(directory, RocketServer.class, List.of(directory.toString(), port))) {
            names.awaitReady(() -> names.output().contains("serves"));
            Message message = new Message("plain", new byte[1]);
            MQClientException failure = catchThrowableOfType(MQClientException.class, () -> producer.send(message));
            assertThat(failure.getResponseCode()).isEqualTo(ClientErrorCode.NOT_FOUND_TOPIC_EXCEPTION);
            assertThat(unregistered.isUnavailable(failure)).isTrue();
        } finally {
            producer.shutdown();
            ServerProcess.delete(directory);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, true", "2, true", "14, true", "13, false", "16, false", "17, false"})
    void responseCodeTellsWhetherTheBrokerIsUnavailable(int responseCode, boolean unavailable) {
        RocketBroker rocket = new RocketBroker(new DefaultMQProducer());
        Exception rejected = new CompletionException(new MQBrokerException(responseCode, "rejected"));
        assertThat(rocket.isUnavailable(rejected)).isEqualTo(unavailable);
    }
}
