package io.delayqueue.forward.kafka;

import io.delayqueue.forward.ForwardException;
import io.delayqueue.message.Failure;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.support.ProducerListener;
import org.springframework.kafka.support.SendResult;

/**
 * Sends with the producer of a separate factory. The first send creates the producer. A producer that cannot send any
 * more, for example after a failed authentication or an error in its thread, does not recover with the broker and is
 * replaced. The new producer has the application's configuration at that time. Thread-safe.
 */
final class RenewedProducer {

    private static final Log log = LogFactory.getLog(RenewedProducer.class);

    private static final long MIN_RENEWAL_INTERVAL = Duration.ofSeconds(1).toNanos();

    /**
     * Minimum time between replacements because of timeouts. In most cases the broker is unavailable, and the producer
     * recovers with it.
     */
    private static final long MIN_INTERVAL_AFTER_TIMEOUTS =
            Duration.ofMinutes(1).toNanos();

    private static final int MAX_TIMEOUTS_IN_A_ROW = 10;

    private static final List<Class<? extends Exception>> FATAL = List.of(
            AuthenticationException.class,
            ClusterAuthorizationException.class,
            ProducerFencedException.class,
            InvalidPidMappingException.class,
            UnsupportedVersionException.class,
            IllegalStateException.class,
            KafkaException.class); // exactly this class, thrown by a producer in its error state

    private static final List<Class<? extends Exception>> TIMEOUTS =
            List.of(TimeoutException.class, InterruptException.class, CancellationException.class);

    /** Retriable exceptions for which a message or its topic is the reason. */
    private static final List<Class<? extends Exception>> OF_THE_MESSAGE =
            List.of(UnknownTopicOrPartitionException.class, CorruptRecordException.class);

    private static final ProducerListener<String, byte[]> NO_LISTENER = new ProducerListener<>() {};

    /**
     * Time for which closing a producer waits for pending sends. Sends that are pending after that time fail, and their
     * messages are delivered again.
     */
    private static final int CLOSE_SECONDS = 1;

    private final DefaultKafkaProducerFactory<String, byte[]> factory;
    private final Supplier<Map<String, Object>> configuration;
    private final LongSupplier nanoTime;
    private final KafkaTemplate<String, byte[]> template;
    private final AtomicInteger timeoutsInARow = new AtomicInteger();
    private volatile int generation;
    private volatile boolean closed;
    private long renewedAt;

    /**
     * Creates an instance without a producer.
     *
     * @param configuration supplies the configuration of new producers
     */
    RenewedProducer(
            DefaultKafkaProducerFactory<String, byte[]> factory,
            Supplier<Map<String, Object>> configuration,
            LongSupplier nanoTime) {
        this.factory = factory;
        this.configuration = configuration;
        this.nanoTime = nanoTime;
        factory.setPhysicalCloseTimeout(CLOSE_SECONDS);
        template = new KafkaTemplate<>(factory);
        template.setProducerListener(NO_LISTENER); // the queue reports failures
        renewedAt = nanoTime.getAsLong() - MIN_INTERVAL_AFTER_TIMEOUTS;
    }

    CompletableFuture<SendResult<String, byte[]>> send(ProducerRecord<String, byte[]> message) {
        if (closed) {
            throw new ForwardException("the application is closed");
        }
        int used = generation;
        CompletableFuture<SendResult<String, byte[]>> sent;
        try {
            sent = template.send(message);
        } catch (RuntimeException e) {
            failed(used, e);
            throw e;
        } finally {
            if (closed) { // closed concurrently: the factory may have created another producer
                factory.destroy();
            }
        }
        sent.whenComplete((confirmed, failure) -> {
            if (failure != null) {
                failed(used, failure);
            } else if (used == generation) {
                timeoutsInARow.set(0);
            }
        });
        return sent;
    }

    private void failed(int used, Throwable failure) {
        if (used != generation) {
            return;
        }
        boolean fatal = isFatal(failure);
        if (!fatal && !(hasCause(failure, TIMEOUTS) && timeoutsInARow.incrementAndGet() >= MAX_TIMEOUTS_IN_A_ROW)) {
            return;
        }
        try {
            renew(used, failure, fatal ? MIN_RENEWAL_INTERVAL : MIN_INTERVAL_AFTER_TIMEOUTS);
        } catch (RuntimeException e) { // the application's factory has no configuration any more
            failure.addSuppressed(e);
        }
    }

    /**
     * Whether a failure is not that of a message. Kafka reports a missing topic as a timeout with its error as the cause.
     */
    static boolean isUnavailable(Throwable failure) {
        return isFatal(failure)
                || (Failure.hasCause(failure, List.of(RetriableException.class))
                        && !Failure.hasCause(failure, OF_THE_MESSAGE));
    }

    private static boolean isFatal(Throwable failure) {
        return !(failure instanceof CancellationException) // an IllegalStateException, but not a producer error
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

    /**
     * Replaces the producer. Closes it without the lock, because Kafka waits for the producer's thread, which may need
     * the lock.
     */
    private void renew(int broken, Throwable failure, long minInterval) {
        synchronized (this) {
            long now = nanoTime.getAsLong();
            if (closed || generation != broken || now - renewedAt < minInterval) {
                return;
            }
            configure(configuration.get());
            generation = broken + 1;
            timeoutsInARow.set(0);
            renewedAt = now;
        }
        log.warn("A Kafka producer is replaced because it cannot send any more: "
                + NestedExceptionUtils.getMostSpecificCause(failure));
        factory.setPhysicalCloseTimeout(0);
        factory.reset();
        factory.setPhysicalCloseTimeout(CLOSE_SECONDS);
    }

    private void configure(Map<String, Object> wanted) {
        factory.getConfigurationProperties().keySet().stream()
                .filter(name -> !wanted.containsKey(name))
                .forEach(factory::removeConfig);
        factory.updateConfigs(wanted);
    }

    void close() {
        synchronized (this) {
            closed = true;
        }
        factory.destroy();
    }
}
