package io.delayqueue.forward.kafka;

import io.delayqueue.message.InvalidOptionException;
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

/**
 * Creates producers with the application's configuration, with these exceptions:
 *
 * <ul>
 *   <li>{@code acks=all}: a send is confirmed only when all in-sync replicas have stored it.
 *   <li>The delivery timeout, {@code max.block.ms}, the request timeout and {@code linger.ms} are less than the send
 *       timeout: a send fails within it.
 *   <li>No transactional id: a send is not part of a transaction.
 *   <li>A suffix of the client id: it is unique.
 *   <li>Keys are text and values are bytes, whatever serializers the application uses.
 * </ul>
 */
final class ConfirmingProducers {

    private static final int DEFAULT_REQUEST_TIMEOUT = 30_000;
    private static final int DEFAULT_LINGER = 5;

    private static final AtomicInteger sequence = new AtomicInteger();

    private ConfirmingProducers() {}

    static DefaultKafkaProducerFactory<String, byte[]> derive(ProducerFactory<?, ?> application, Duration timeout) {
        DefaultKafkaProducerFactory<String, byte[]> factory = new DefaultKafkaProducerFactory<>(
                configuration(application, timeout), new StringSerializer(), new ByteArraySerializer());
        listeners(application).forEach(factory::addListener);
        return factory;
    }

    /** Listeners that measure producers do not depend on the types of keys and values. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private static List<ProducerFactory.Listener<String, byte[]>> listeners(ProducerFactory<?, ?> application) {
        return (List) application.getListeners();
    }

    /** Returns the current configuration of the application's producers with the exceptions of this class. */
    static Map<String, Object> configuration(ProducerFactory<?, ?> application, Duration sendTimeout) {
        // less than the send timeout, so that Kafka times out first and reports the cause
        int timeout = (int) (sendTimeout.toMillis() * 9 / 10);
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
            // treated as an empty configuration
        }
        if (!configuration.containsKey(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG)) {
            throw new InvalidOptionException(
                    "to",
                    "names a KafkaTemplate whose ProducerFactory ("
                            + application.getClass().getName()
                            + ") has no bootstrap servers; name a KafkaTemplate on a DefaultKafkaProducerFactory");
        }
        return configuration;
    }

    private static int number(Map<String, Object> configuration, String name, int byDefault) {
        Object value = configuration.get(name);
        return value == null ? byDefault : Integer.parseInt(value.toString().trim());
    }
}
