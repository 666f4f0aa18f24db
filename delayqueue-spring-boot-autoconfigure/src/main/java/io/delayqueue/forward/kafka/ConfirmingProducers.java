package io.delayqueue.forward.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.ProducerFactory;

/** Producers that are configured as others, but confirm only what is safe, and in time. */
final class ConfirmingProducers {

    private static final int DEFAULT_REQUEST_TIMEOUT = 30_000;
    private static final int DEFAULT_LINGER = 5;

    /** Nobody waits any more for what is on its way by then, and it is delivered again. */
    private static final int CLOSE_SECONDS = 1;

    private static final AtomicInteger sequence = new AtomicInteger();

    private ConfirmingProducers() {}

    static DefaultKafkaProducerFactory<String, byte[]> derive(ProducerFactory<?, ?> application, Duration timeout) {
        int earlier = (int) (timeout.toMillis() * 9 / 10); // so that Kafka says what it waited for
        DefaultKafkaProducerFactory<String, byte[]> own = new DefaultKafkaProducerFactory<>(
                configuration(application, earlier), new StringSerializer(), new ByteArraySerializer());
        own.setPhysicalCloseTimeout(CLOSE_SECONDS);
        listeners(application).forEach(own::addListener);
        return own;
    }

    /** They measure producers, whatever these send. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private static List<ProducerFactory.Listener<String, byte[]>> listeners(ProducerFactory<?, ?> application) {
        return (List) application.getListeners();
    }

    private static Map<String, Object> configuration(ProducerFactory<?, ?> application, int timeout) {
        Map<String, Object> configuration = new HashMap<>(read(application));
        configuration.put(ProducerConfig.ACKS_CONFIG, "all");
        configuration.computeIfPresent(
                ProducerConfig.CLIENT_ID_CONFIG, (name, id) -> id + "-delayqueue-" + sequence.incrementAndGet());
        configuration.remove(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
        configuration.remove(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG);
        configuration.remove(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG);
        int linger = Math.min(number(configuration, ProducerConfig.LINGER_MS_CONFIG, DEFAULT_LINGER), timeout / 10);
        int request = Math.min(
                number(configuration, ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, DEFAULT_REQUEST_TIMEOUT),
                timeout - linger);
        configuration.put(ProducerConfig.LINGER_MS_CONFIG, linger);
        configuration.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, request);
        configuration.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, timeout);
        configuration.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, timeout);
        return configuration;
    }

    private static Map<String, Object> read(ProducerFactory<?, ?> application) {
        Map<String, Object> configuration = Map.of();
        try {
            configuration = application.getConfigurationProperties();
        } catch (UnsupportedOperationException tellsNothing) {
            // as one that has none
        }
        if (!configuration.containsKey(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG)) {
            throw new IllegalArgumentException("to names a KafkaTemplate whose ProducerFactory ("
                    + application.getClass().getName()
                    + ") doesn't tell where Kafka is; let it name one on a DefaultKafkaProducerFactory");
        }
        return configuration;
    }

    private static int number(Map<String, Object> configuration, String name, int byDefault) {
        Object value = configuration.get(name);
        return value == null ? byDefault : Integer.parseInt(value.toString().trim());
    }
}
