package io.delayqueue.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.TopicSampler;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.redis.RedisServerProcess;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Statistic;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInfo;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** A Spring Boot application with a real Redis, and its meters. */
abstract class MeterTest {

    /** Prevents samples at intervals. Tests wake the sampler if they need a sample. */
    static final String NO_SAMPLES = "delayqueue.metrics.sample-interval=10m";

    /** Meters of which a value above zero was read. */
    private final Set<DelayQueueMeters> seen = EnumSet.noneOf(DelayQueueMeters.class);

    private @Nullable ConfigurableApplicationContext application;

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {}

    /** Starts the application in a namespace of its own. */
    final void start(RedisServerProcess redis, Class<?> listeners, String... properties) {
        start(redis.port(), listeners, properties);
    }

    final void start(int port, Class<?> listeners, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "spring.data.redis.port=" + port,
                "delayqueue.namespace=" + UUID.randomUUID(),
                "delayqueue.listener.backoff=fixed 10ms"));
        all.addAll(Arrays.asList(properties));
        application = new SpringApplicationBuilder(Application.class, listeners)
                .web(WebApplicationType.NONE)
                .properties(all.toArray(String[]::new))
                .run();
    }

    @AfterEach
    void stop(TestInfo test) {
        try {
            Moves moves = test.getTestMethod().orElseThrow().getAnnotation(Moves.class);
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

    /** Waits until the sampler, which runs in the background, has sampled what is stored now. */
    static void sample(TopicSampler sampler) {
        long begin = System.nanoTime();
        await().until(() -> {
            sampler.wake();
            long now = System.nanoTime(); // read first: the age grows
            return sampler.age().filter(age -> age.toNanos() < now - begin).isPresent();
        });
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

    final Timer timer(DelayQueueMeters meter, String... tags) {
        return registry().get(meter.getName()).tags(tags).timer();
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
