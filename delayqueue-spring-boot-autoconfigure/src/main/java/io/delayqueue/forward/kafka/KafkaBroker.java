package io.delayqueue.forward.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.forward.Broker;
import io.delayqueue.forward.ForwardException;
import io.delayqueue.forward.ForwardedMessage;
import io.delayqueue.forward.Forwarder;
import io.delayqueue.forward.Route;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.support.ProducerListener;

/**
 * Forwards to Kafka by producers of its own, which are configured as the application's are but confirm only what all
 * in-sync replicas have. Thread-safe.
 */
public final class KafkaBroker implements Broker {

    private static final String CONTENT_TYPE = "content-type";
    private static final ProducerListener<String, byte[]> SILENT = new ProducerListener<>() {};

    private final ProducerFactory<?, ?> application;
    private final Map<Duration, DefaultKafkaProducerFactory<String, byte[]>> own = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /**
     * Beside the application's producers.
     *
     * @param application whose configuration is taken
     */
    public KafkaBroker(ProducerFactory<?, ?> application) {
        this.application = application;
    }

    @Override
    public Forwarder open(Route route) {
        route.requireDestination("a topic of Kafka");
        route.refuseRoutingKey();
        route.refusePubSub();
        KafkaTemplate<String, byte[]> template = new KafkaTemplate<>(
                own.computeIfAbsent(route.sendTimeout(), timeout -> ConfirmingProducers.derive(application, timeout)));
        template.setProducerListener(SILENT); // what fails is told by the queue
        return message -> {
            if (closed) { // a producer factory would open anew
                throw new ForwardException("the application is closed");
            }
            return template.send(asRecord(message));
        };
    }

    private static ProducerRecord<String, byte[]> asRecord(ForwardedMessage message) {
        ProducerRecord<String, byte[]> kafka =
                new ProducerRecord<>(message.destination(), message.key(), message.body());
        kafka.headers().add(CONTENT_TYPE, message.contentType().getBytes(UTF_8));
        message.headers().forEach((name, value) -> kafka.headers().add(name, value.getBytes(UTF_8)));
        return kafka;
    }

    @Override
    public void close() {
        closed = true;
        own.values().forEach(DefaultKafkaProducerFactory::destroy);
    }
}
