package io.delayqueue.forward.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.forward.ForwardedMessage;
import io.delayqueue.forward.Forwarder;
import io.delayqueue.forward.Route;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;

class KafkaBrokerTests {

    private final List<MockProducer<String, byte[]>> producers = new CopyOnWriteArrayList<>();
    private final AtomicInteger configurations = new AtomicInteger();
    private volatile Runnable beforeProducer = () -> {};
    private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE);
    private final KafkaBroker broker =
            new KafkaBroker(timeout -> new MockFactory(), timeout -> configuration(), nanoTime::get);
    private final Forwarder forwarder =
            broker.open(new Route("topic", "kafka", "destination", null, false, Duration.ofSeconds(2)));

    @Test
    void producerCreatedDuringCloseIsClosed() throws Exception {
        beforeProducer = broker::close;

        forwarder.forward(message());

        assertThat(producers).hasSize(1).allMatch(MockProducer::closed);
        assertThatThrownBy(() -> forwarder.forward(message())).hasMessage("the application is closed");
        assertThat(producers).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource
    void producerIsReplacedAfterAFatalFailure(RuntimeException failure) throws Exception {
        forwarder.forward(message());

        fail(0, failure);
        CompletableFuture<?> next = forwarder.forward(message()).toCompletableFuture();
        producers.get(1).completeNext();

        assertThat(next).isCompleted();
        await().until(producers.get(0)::closed);
        assertThat(configurations).hasValue(2);
        assertThat(producers.get(1).closed()).isFalse();
    }

    static List<RuntimeException> producerIsReplacedAfterAFatalFailure() {
        return List.of(
                new SaslAuthenticationException("wrong password"),
                new ClusterAuthorizationException("no idempotent writes"),
                new ProducerFencedException("fenced"),
                new InvalidPidMappingException("gone"),
                new UnsupportedVersionException("too old"),
                new IllegalStateException("closed"),
                new TimeoutException("no id of a producer", new SaslAuthenticationException("wrong password")),
                new KafkaException("Cannot execute transactional method because we are in an error state"));
    }

    @ParameterizedTest
    @MethodSource
    void producerIsKeptAfterAFailureOfTheMessage(RuntimeException failure) throws Exception {
        for (int i = 0; i < 20; i++) {
            forwarder.forward(message());
            fail(0, failure);
        }
        forwarder.forward(message());

        assertThat(producers).hasSize(1);
    }

    static List<RuntimeException> producerIsKeptAfterAFailureOfTheMessage() {
        return List.of(
                new RecordTooLargeException("too large"),
                new TopicAuthorizationException("not yours"),
                new NotEnoughReplicasException("a replica is unavailable"));
    }

    @Test
    void producerIsReplacedAfterTenTimeoutsInARow() throws Exception {
        timeOut(9);
        forwarder.forward(message());
        producers.get(0).completeNext();
        timeOut(9);
        assertThat(configurations).hasValue(1);

        timeOut(1);

        assertThat(configurations).hasValue(2);
        await().until(producers.get(0)::closed);
    }

    @Test
    void producerIsReplacedAfterTimeoutsOnceAMinute() throws Exception {
        timeOut(10);
        nanoTime.addAndGet(Duration.ofSeconds(59).toNanos());
        for (int i = 0; i < 20; i++) {
            forwarder.forward(message()).toCompletableFuture().cancel(false);
        }
        assertThat(configurations).hasValue(2);

        nanoTime.addAndGet(Duration.ofSeconds(1).toNanos());
        forwarder.forward(message()).toCompletableFuture().cancel(false);

        assertThat(configurations).hasValue(3);
    }

    @Test
    void cancelledSendCountsAsTimeout() throws Exception {
        for (int i = 0; i < 10; i++) {
            assertThat(configurations).hasValue(1);
            forwarder.forward(message()).toCompletableFuture().cancel(false);
        }

        assertThat(configurations).hasValue(2);
    }

    @Test
    void producerIsReplacedOnceASecondAndByItsOwnFailuresOnly() throws Exception {
        RuntimeException failure = new SaslAuthenticationException("wrong password");
        forwarder.forward(message());
        forwarder.forward(message());
        fail(0, failure);
        nanoTime.addAndGet(Duration.ofSeconds(5).toNanos());
        fail(0, failure);
        assertThat(configurations).hasValue(2);

        nanoTime.addAndGet(
                Duration.ofSeconds(-5).toNanos() + Duration.ofMillis(999).toNanos());
        forwarder.forward(message());
        fail(1, failure);
        assertThat(configurations).hasValue(2);
        nanoTime.addAndGet(Duration.ofMillis(1).toNanos());
        forwarder.forward(message());
        fail(1, failure);
        assertThat(configurations).hasValue(3);
    }

    @Test
    void producerIsNotReplacedAfterClose() throws Exception {
        forwarder.forward(message());
        broker.close();

        fail(0, new IllegalStateException("closed"));

        assertThat(configurations).hasValue(1);
    }

    @Test
    void producerIsCreatedAgainAfterAFailedCreation() throws Exception {
        beforeProducer = () -> {
            throw new KafkaException("Failed to construct kafka producer");
        };
        assertThatThrownBy(() -> forwarder.forward(message())).hasMessageContaining("Failed to construct");
        beforeProducer = () -> {};

        forwarder.forward(message());

        assertThat(configurations).hasValue(2);
    }

    private Map<String, Object> configuration() {
        configurations.incrementAndGet();
        return Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "kafka:9092");
    }

    private void timeOut(int times) throws Exception {
        for (int i = 0; i < times; i++) {
            forwarder.forward(message());
            fail(0, new TimeoutException("expired"));
        }
    }

    private void fail(int producer, RuntimeException failure) {
        assertThat(producers.get(producer).errorNext(failure)).isTrue();
    }

    private static ForwardedMessage message() {
        return ForwardedMessage.of("id", "destination", "text".getBytes(UTF_8)).build();
    }

    private final class MockFactory extends DefaultKafkaProducerFactory<String, byte[]> {

        MockFactory() {
            super(configuration());
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
