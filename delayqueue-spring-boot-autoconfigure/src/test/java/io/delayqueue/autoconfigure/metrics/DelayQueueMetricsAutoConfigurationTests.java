package io.delayqueue.autoconfigure.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.TopicSampler;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.autoconfigure.QueueContexts;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.metrics.DelayQueueGauges;
import io.delayqueue.metrics.DelayQueueMeters;
import io.delayqueue.metrics.EventMeters;
import io.delayqueue.template.DelayQueueTemplate;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The conditions of the meters. */
class DelayQueueMetricsAutoConfigurationTests {

    private static final String LISTENER = "listener";

    private final ApplicationContextRunner runner =
            QueueContexts.onRedis().withConfiguration(AutoConfigurations.of(DelayQueueMetricsAutoConfiguration.class));

    private final ApplicationContextRunner metered = runner.withConfiguration(AutoConfigurations.of(
            MetricsAutoConfiguration.class,
            CompositeMeterRegistryAutoConfiguration.class,
            SimpleMetricsExportAutoConfiguration.class));

    @Configuration(proxyBeanMethods = false)
    static class Listeners {

        @DelayListener(topic = "t", id = "l")
        void handle(String text) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnRegistry {

        @Bean
        SimpleMeterRegistry registry() {
            return new SimpleMeterRegistry();
        }
    }

    private static double acknowledged(MeterRegistry registry) {
        return registry.get(DelayQueueMeters.MESSAGES_ACKNOWLEDGED.getName())
                .tag(LISTENER, "l")
                .counter()
                .count();
    }

    @Test
    void metersAreAbsentWithoutMicrometer() {
        runner.withClassLoader(new FilteredClassLoader("io.micrometer")).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(DelayQueueEngine.class);
            assertThat(context).doesNotHaveBean(DelayQueueMetricsAutoConfiguration.class);
            assertThat(context).doesNotHaveBean(TopicSampler.class);
            context.getBean(DelayQueueTemplate.class).send("t", "text");
        });
    }

    @Test
    void metersAreAbsentWithoutARegistry() {
        runner.run(context -> assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean(EventMeters.class)
                .doesNotHaveBean(DelayQueueGauges.class)
                .doesNotHaveBean(TopicSampler.class));
    }

    @Test
    void metersAreAbsentWithoutAQueue() {
        metered.withPropertyValues("delayqueue.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(EventMeters.class));
    }

    @Test
    void metersAreInEachOfSeveralRegistries() {
        metered.withConfiguration(AutoConfigurations.of(PrometheusMetricsExportAutoConfiguration.class))
                .withBean("second", SimpleMeterRegistry.class, SimpleMeterRegistry::new)
                .withUserConfiguration(Listeners.class)
                .run(context -> {
                    context.getBean(DelayQueueTemplate.class).send("t", "text");
                    assertThat(context.getBeansOfType(MeterRegistry.class)).hasSizeGreaterThan(2);
                    context.getBeansOfType(MeterRegistry.class)
                            .values()
                            .forEach(registry -> await().until(() -> acknowledged(registry) == 1));
                });
    }

    @Test
    void metersAreInTheRegistryOfTheApplication() {
        runner.withUserConfiguration(OwnRegistry.class, Listeners.class).run(context -> {
            context.getBean(DelayQueueTemplate.class).send("t", "text");
            await().until(() -> acknowledged(context.getBean(MeterRegistry.class)) == 1);
        });
    }

    @Test
    void metersOfAListenerAreZeroBeforeItsFirstMessageEvenIfBeansAreLazy() {
        metered.withUserConfiguration(Listeners.class)
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> {
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    assertThat(acknowledged(registry)).isZero();
                    assertThat(registry.get(DelayQueueMeters.PERMITS_MAX.getName())
                                    .tag(LISTENER, "l")
                                    .gauge()
                                    .value())
                            .isEqualTo(8);
                });
    }

    @Test
    void metersAreDisabledByTheirPrefix() {
        metered.withUserConfiguration(Listeners.class)
                .withPropertyValues("management.metrics.enable.delayqueue=false")
                .run(context -> {
                    context.getBean(DelayQueueTemplate.class).send("t", "text");
                    assertThat(context.getBean(MeterRegistry.class).getMeters())
                            .noneMatch(meter -> meter.getId().getName().startsWith("delayqueue"));
                });
    }
}
