package io.delayqueue.forward.kafka;

import io.delayqueue.forward.ForwardException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.support.ProducerListener;
import org.springframework.kafka.support.SendResult;

/** Sends by one producer, which is made by the first send, and left to nobody at the end. Thread-safe. */
final class OwnProducer {

    private static final ProducerListener<String, byte[]> SILENT = new ProducerListener<>() {};

    private final DefaultKafkaProducerFactory<String, byte[]> factory;
    private final KafkaTemplate<String, byte[]> template;
    private final AtomicInteger late = new AtomicInteger();
    private volatile @Nullable String closed;

    OwnProducer(DefaultKafkaProducerFactory<String, byte[]> factory) {
        this.factory = factory;
        template = new KafkaTemplate<>(factory);
        template.setProducerListener(SILENT); // what fails is told by the queue
    }

    CompletableFuture<SendResult<String, byte[]>> send(ProducerRecord<String, byte[]> message) {
        String why = closed;
        if (why != null) {
            throw new ForwardException(why);
        }
        try {
            return template.send(message);
        } finally {
            if (closed != null) { // meanwhile: the factory may have opened anew
                factory.destroy();
            }
        }
    }

    /** How many sends timed out since the last one that was confirmed, with the one that is told of. */
    int oneMoreIsLate() {
        return late.incrementAndGet();
    }

    void confirmed() {
        late.set(0);
    }

    /** May take as long as the factory's time-out for it. */
    void close(String why) {
        closed = why;
        factory.destroy();
    }

    /** Waits for nothing that is on its way, and may be called by the producer's own thread. */
    void abandon(String why) {
        factory.setPhysicalCloseTimeout(0);
        close(why);
    }
}
