package io.delayqueue.autoconfigure.metrics;

import io.delayqueue.admin.TopicSampler;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.autoconfigure.DelayListenerAutoConfiguration;
import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.metrics.EventMeters;
import io.delayqueue.metrics.ListenerGauges;
import io.delayqueue.metrics.TopicGauges;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** Auto-configuration of the delay queue's meters. Requires a meter registry. */
@AutoConfiguration(
        after = {DelayQueueAutoConfiguration.class, DelayListenerAutoConfiguration.class},
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(DelayQueueEngine.class)
@ConditionalOnSingleCandidate(MeterRegistry.class)
@Import(TopicSamplerConfiguration.class)
public final class DelayQueueMetricsAutoConfiguration {

    @Bean
    EventMeters delayQueueEventMeters(MeterRegistry registry) {
        return new EventMeters(registry);
    }

    @Bean
    ListenerGauges delayQueueListenerGauges(
            MeterRegistry registry, EventMeters events, ObjectProvider<DelayListenerRegistry> listeners) {
        return new ListenerGauges(registry, events, () -> {
            DelayListenerRegistry known = listeners.getIfAvailable();
            return known == null ? List.of() : known.getContainers();
        });
    }

    @Bean
    TopicGauges delayQueueTopicGauges(
            MeterRegistry registry, TopicSampler sampler, EventMeters events, ListenerGauges listeners) {
        return new TopicGauges(registry, sampler, events, listeners, System::nanoTime);
    }

    @Bean
    MetersStart delayQueueMetersStart(TopicGauges gauges) {
        return new MetersStart(gauges);
    }
}
