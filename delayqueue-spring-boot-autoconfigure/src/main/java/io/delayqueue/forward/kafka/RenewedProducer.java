package io.delayqueue.forward.kafka;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.support.SendResult;

/**
 * Sends by a producer that is replaced once it can't send any more, as after a refused authentication or an error in its
 * thread: it would not recover when the broker does. The new one is configured as the application's are by then.
 * Thread-safe.
 */
final class RenewedProducer {

    private static final Log log = LogFactory.getLog(RenewedProducer.class);

    private static final long BETWEEN_RENEWALS = Duration.ofSeconds(1).toNanos();

    /** Most of those who time out have a broker that is away, and would recover. */
    private static final long BETWEEN_GUESSES = Duration.ofMinutes(1).toNanos();

    private static final int LATE_IN_A_ROW = 10;

    private static final List<Class<? extends Exception>> FATAL = List.of(
            AuthenticationException.class,
            ClusterAuthorizationException.class,
            ProducerFencedException.class,
            InvalidPidMappingException.class,
            UnsupportedVersionException.class,
            IllegalStateException.class,
            KafkaException.class); // itself: what a producer throws in its error state

    private static final List<Class<? extends Exception>> LATE =
            List.of(TimeoutException.class, InterruptException.class, CancellationException.class);

    private final Supplier<DefaultKafkaProducerFactory<String, byte[]>> derived;
    private final LongSupplier nanoTime;
    private volatile OwnProducer producer;
    private long renewed;
    private boolean closed;

    RenewedProducer(Supplier<DefaultKafkaProducerFactory<String, byte[]>> derived, LongSupplier nanoTime) {
        this.derived = derived;
        this.nanoTime = nanoTime;
        producer = new OwnProducer(derived.get());
        renewed = nanoTime.getAsLong() - BETWEEN_GUESSES;
    }

    CompletableFuture<SendResult<String, byte[]>> send(ProducerRecord<String, byte[]> message) {
        OwnProducer used = producer;
        CompletableFuture<SendResult<String, byte[]>> sent;
        try {
            sent = used.send(message);
        } catch (RuntimeException e) {
            failed(used, e);
            throw e;
        }
        CompletionStage<?> unused = sent.whenComplete((confirmed, failure) -> {
            if (failure == null) {
                used.confirmed();
            } else {
                failed(used, failure);
            }
        });
        return sent;
    }

    private void failed(OwnProducer used, Throwable failure) {
        boolean fatal = isFatal(failure);
        if (!fatal && !(hasCause(failure, LATE) && used.oneMoreIsLate() >= LATE_IN_A_ROW)) {
            return;
        }
        try {
            renew(used, failure, fatal ? BETWEEN_RENEWALS : BETWEEN_GUESSES);
        } catch (RuntimeException e) { // the application's factory tells nothing any more
            failure.addSuppressed(e);
        }
    }

    private static boolean isFatal(Throwable failure) {
        return !(failure instanceof CancellationException) // an IllegalStateException, but nobody's fault
                && hasCause(failure, FATAL);
    }

    private static boolean hasCause(Throwable failure, List<Class<? extends Exception>> types) {
        for (@Nullable Throwable each = failure; each != null; each = each.getCause()) {
            Class<?> type = each.getClass();
            if (types.stream()
                    .anyMatch(one -> one == KafkaException.class ? one == type : one.isAssignableFrom(type))) {
                return true;
            }
        }
        return false;
    }

    private void renew(OwnProducer broken, Throwable failure, long pause) {
        synchronized (this) {
            long now = nanoTime.getAsLong();
            if (closed || producer != broken || now - renewed < pause) {
                return;
            }
            producer = new OwnProducer(derived.get());
            renewed = now;
        }
        log.warn("A Kafka producer is replaced, since it may never send again: "
                + NestedExceptionUtils.getMostSpecificCause(failure));
        broken.abandon("the producer was just replaced");
    }

    void close() {
        synchronized (this) {
            closed = true;
        }
        producer.close("the application is closed");
    }
}
