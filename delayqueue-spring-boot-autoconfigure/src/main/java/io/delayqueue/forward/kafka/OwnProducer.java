package io.delayqueue.forward.kafka;

import io.delayqueue.forward.ForwardException;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.support.ProducerListener;
import org.springframework.kafka.support.SendResult;

/** Sends by one producer, which is made by the first send, and left to nobody at the end. Thread-safe. */
final class OwnProducer {

    private static final ProducerListener<String, byte[]> SILENT = new ProducerListener<>() {};

    private final DefaultKafkaProducerFactory<String, byte[]> factory;
    private final KafkaTemplate<String, byte[]> template;
    private volatile boolean closed;

    OwnProducer(DefaultKafkaProducerFactory<String, byte[]> factory) {
        this.factory = factory;
        template = new KafkaTemplate<>(factory);
        template.setProducerListener(SILENT); // what fails is told by the queue
    }

    CompletableFuture<SendResult<String, byte[]>> send(ProducerRecord<String, byte[]> message) {
        if (closed) {
            throw new ForwardException("the application is closed");
        }
        try {
            return template.send(message);
        } finally {
            if (closed) { // meanwhile: the factory may have opened anew
                factory.destroy();
            }
        }
    }

    void close() {
        closed = true;
        factory.destroy();
    }
}
