package io.delayqueue.forward.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.forward.ForwardedMessage;
import io.delayqueue.forward.Forwarder;
import io.delayqueue.forward.Route;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;

class KafkaBrokerTests {

    private final List<MockProducer<String, byte[]>> producers = new CopyOnWriteArrayList<>();
    private volatile Runnable beforeProducer = () -> {};
    private final KafkaBroker broker = new KafkaBroker(timeout -> new MockFactory());
    private final Forwarder forwarder =
            broker.open(new Route("topic", "kafka", "destination", null, false, Duration.ofSeconds(2)));

    @Test
    void producerThatWasMadeWhileTheApplicationClosedIsClosedToo() throws Exception {
        beforeProducer = broker::close;

        forwarder.forward(message());

        assertThat(producers).hasSize(1).allMatch(MockProducer::closed);
        assertThatThrownBy(() -> forwarder.forward(message())).hasMessage("the application is closed");
        assertThat(producers).hasSize(1);
    }

    private static ForwardedMessage message() {
        return ForwardedMessage.of("id", "destination", "text".getBytes(UTF_8)).build();
    }

    private final class MockFactory extends DefaultKafkaProducerFactory<String, byte[]> {

        MockFactory() {
            super(Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "kafka:9092"));
        }

        @Override
        public Producer<String, byte[]> createProducer() {
            beforeProducer.run();
            return super.createProducer();
        }

        @Override
        protected Producer<String, byte[]> createKafkaProducer() {
            MockProducer<String, byte[]> producer =
                    new MockProducer<>(false, null, new StringSerializer(), new ByteArraySerializer());
            producers.add(producer);
            return producer;
        }
    }
}
