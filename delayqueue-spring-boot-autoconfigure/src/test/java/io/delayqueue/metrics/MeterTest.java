package io.delayqueue.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.TopicSampler;
import io.delayqueue.autoconfigure.DelayListenerAutoConfiguration;
import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.autoconfigure.PayloadConverterAutoConfiguration;
import io.delayqueue.autoconfigure.health.RedisCheckAutoConfiguration;
import io.delayqueue.autoconfigure.metrics.DelayQueueMetricsAutoConfiguration;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.SystemClock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Statistic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInfo;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusMetricsExportAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;

/** A Spring Boot application with a real Redis, and its meters. */
abstract class MeterTest {

    /** Prevents samples at intervals. Tests wake the sampler if they need a sample. */
    static final String NO_SAMPLES = "delayqueue.metrics.sample-interval=10m";

    /** Meters of which a value above zero was read. */
    private final Set<DelayQueueMeters> seen = EnumSet.noneOf(DelayQueueMeters.class);

    private @Nullable ConfigurableApplicationContext application;

    /** What meters require, and nothing else, because each test starts it. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataRedisAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        PayloadConverterAutoConfiguration.class,
        DelayQueueAutoConfiguration.class,
        DelayListenerAutoConfiguration.class,
        RedisCheckAutoConfiguration.class,
        MetricsAutoConfiguration.class,
        CompositeMeterRegistryAutoConfiguration.class,
        PrometheusMetricsExportAutoConfiguration.class,
        DelayQueueMetricsAutoConfiguration.class
    })
    static class Application {}

    /** Starts the application in a namespace of its own. */
    final void start(RedisServerProcess redis, Class<?> listeners, String... properties) {
        start(redis.port(), listeners, properties);
    }

    final void start(int port, Class<?> listeners, String... properties) {
        application = run(port, listeners, properties);
    }

    static ConfigurableApplicationContext run(int port, Class<?> listeners, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "spring.data.redis.port=" + port,
                "delayqueue.namespace=" + UUID.randomUUID(),
                "delayqueue.listener.backoff=fixed 10ms"));
        all.addAll(Arrays.asList(properties));
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        TestPropertyValues.of(all).applyTo(context);
        context.register(Application.class, listeners);
        context.refresh();
        return context;
    }

    @AfterEach
    void stop(TestInfo test) {
        try {
            TestsMeters moves = test.getTestMethod().orElseThrow().getAnnotation(TestsMeters.class);
            if (moves != null) {
                assertThat(seen).contains(moves.value());
            }
        } finally {
            if (application != null) {
                application.close();
            }
        }
    }

    final ConfigurableApplicationContext application() {
        assertThat(application).isNotNull();
        return application;
    }

    /** Waits until the meters show a sample that was requested after this call. */
    static void sample(TopicSampler sampler) {
        long begun = SystemClock.nanos();
        AtomicBoolean sampled = new AtomicBoolean();
        // runs after the callback of the meters
        sampler.onSample(() -> {
            long now = SystemClock.nanos(); // read first: the age grows
            if (sampler.age().orElseThrow().toNanos() < now - begun) {
                sampled.set(true);
            } else {
                sampler.wake();
            }
        });
        // once: another sample could run when the test has gone on
        sampler.wake();
        await().until(sampled::get);
    }

    final <T> T bean(Class<T> type) {
        return application().getBean(type);
    }

    final DelayQueueTemplate delayQueue() {
        return bean(DelayQueueTemplate.class);
    }

    final String namespace() {
        return String.valueOf(application().getEnvironment().getProperty("delayqueue.namespace"));
    }

    // ---- meters ----------------------------------------------------------------------------------------------------

    final MeterRegistry registry() {
        return bean(MeterRegistry.class);
    }

    /**
     * The sum of the values with these tags, of a timer its count; 0 if there is none.
     *
     * @param tags keys and values
     */
    final double value(DelayQueueMeters meter, String... tags) {
        double sum = registry().find(meter.getName()).tags(tags).meters().stream()
                .mapToDouble(MeterTest::value)
                .sum();
        if (sum > 0) {
            seen.add(meter);
        }
        return sum;
    }

    final void awaitValue(double expected, DelayQueueMeters meter, String... tags) {
        await().untilAsserted(
                        () -> assertThat(value(meter, tags)).as(meter.getName()).isEqualTo(expected));
    }

    final void awaitMove(DelayQueueMeters meter, String... tags) {
        await().untilAsserted(
                        () -> assertThat(value(meter, tags)).as(meter.getName()).isPositive());
    }

    private static double value(Meter meter) {
        return StreamSupport.stream(meter.measure().spliterator(), false)
                .filter(measurement -> measurement.getStatistic() != Statistic.TOTAL_TIME
                        && measurement.getStatistic() != Statistic.MAX)
                .mapToDouble(measurement -> measurement.getValue())
                .sum();
    }
}
