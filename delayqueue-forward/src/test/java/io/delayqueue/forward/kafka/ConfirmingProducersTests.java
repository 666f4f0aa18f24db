package io.delayqueue.forward.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.ProducerFactory;

class ConfirmingProducersTests {

    @Test
    void unsafeSettingsAreReplacedAndOthersAreKept() {
        DefaultKafkaProducerFactory<String, String> factory = new DefaultKafkaProducerFactory<>(Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "kafka:9092",
                ProducerConfig.ACKS_CONFIG, "1",
                ProducerConfig.TRANSACTIONAL_ID_CONFIG, "tx",
                ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, StringSerializer.class,
                ProducerConfig.LINGER_MS_CONFIG, "100",
                ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4"));
        Map<String, Object> before = factory.getConfigurationProperties();

        DefaultKafkaProducerFactory<String, byte[]> own = ConfirmingProducers.derive(factory, Duration.ofSeconds(2));

        assertThat(own.getConfigurationProperties())
                .containsEntry(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "kafka:9092")
                .containsEntry(ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4")
                .containsEntry(ProducerConfig.ACKS_CONFIG, "all")
                .containsEntry(ProducerConfig.LINGER_MS_CONFIG, 100)
                .containsEntry(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 1_700)
                .containsEntry(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 1_800)
                .containsEntry(ProducerConfig.MAX_BLOCK_MS_CONFIG, 1_800)
                .doesNotContainKey(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
        assertThat(own.transactionCapable()).isFalse();
        assertThat(factory.getConfigurationProperties()).isEqualTo(before);
    }

    @Test
    void factoryWithoutAConfigurationIsRejected() {
        ProducerFactory<String, String> withoutConfiguration = () -> null;

        assertThatThrownBy(() -> ConfirmingProducers.derive(withoutConfiguration, Duration.ofSeconds(2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("to names a KafkaTemplate whose ProducerFactory");
    }

    @Test
    void clientIdsDifferFromThoseOfTheApplication() {
        DefaultKafkaProducerFactory<String, String> factory = new DefaultKafkaProducerFactory<>(
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "kafka:9092", ProducerConfig.CLIENT_ID_CONFIG, "shop"));

        Object first = clientId(ConfirmingProducers.derive(factory, Duration.ofSeconds(2)));
        Object second = clientId(ConfirmingProducers.derive(factory, Duration.ofSeconds(3)));

        assertThat(first).asString().startsWith("shop-delayqueue-").isNotEqualTo(second);
    }

    private static Object clientId(DefaultKafkaProducerFactory<String, byte[]> own) {
        return own.getConfigurationProperties().get(ProducerConfig.CLIENT_ID_CONFIG);
    }
}
