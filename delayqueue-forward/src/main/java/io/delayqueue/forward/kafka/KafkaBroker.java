package io.delayqueue.forward.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.forward.Broker;
import io.delayqueue.forward.ForwardedMessage;
import io.delayqueue.forward.Forwarder;
import io.delayqueue.forward.Route;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.ProducerFactory;

/**
 * Forwards to Kafka with separate producers. They have the application's configuration with the exceptions of
 * {@link ConfirmingProducers}. Thread-safe.
 */
public final class KafkaBroker implements Broker {

    private static final String CONTENT_TYPE = "content-type";

    private final Function<Duration, DefaultKafkaProducerFactory<String, byte[]>> derived;
    private final Function<Duration, Map<String, Object>> configuration;
    private final LongSupplier nanoTime;
    private final Map<Duration, RenewedProducer> producers = new ConcurrentHashMap<>();

    /**
     * Creates a broker.
     *
     * @param application producer factory whose configuration is used
     */
    public KafkaBroker(ProducerFactory<?, ?> application) {
        this(
                timeout -> ConfirmingProducers.derive(application, timeout),
                timeout -> ConfirmingProducers.configuration(application, timeout),
                System::nanoTime);
    }

    KafkaBroker(
            Function<Duration, DefaultKafkaProducerFactory<String, byte[]>> derived,
            Function<Duration, Map<String, Object>> configuration,
            LongSupplier nanoTime) {
        this.derived = derived;
        this.configuration = configuration;
        this.nanoTime = nanoTime;
    }

    @Override
    public Forwarder open(Route route) {
        route.requireDestination("a topic of Kafka");
        route.rejectRoutingKey();
        route.rejectPubSub();
        RenewedProducer producer = producers.computeIfAbsent(
                route.sendTimeout(),
                timeout -> new RenewedProducer(derived.apply(timeout), () -> configuration.apply(timeout), nanoTime));
        return message -> producer.send(asRecord(message));
    }

    private static ProducerRecord<String, byte[]> asRecord(ForwardedMessage message) {
        ProducerRecord<String, byte[]> kafka =
                new ProducerRecord<>(message.destination(), message.key(), message.body());
        kafka.headers().add(CONTENT_TYPE, message.contentType().getBytes(UTF_8));
        message.headers().forEach((name, value) -> kafka.headers().add(name, value.getBytes(UTF_8)));
        return kafka;
    }

    @Override
    public boolean isUnavailable(Throwable failure) {
        return RenewedProducer.isUnavailable(failure);
    }

    @Override
    public boolean isPipelined() {
        return true;
    }

    @Override
    public void close() {
        producers.values().forEach(RenewedProducer::close);
    }
}
