package io.delayqueue.autoconfigure.metrics;

import io.delayqueue.admin.HandlerForecasts;
import io.delayqueue.admin.TopicSampler;
import io.delayqueue.admin.diagnosis.QueueDiagnosis;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.autoconfigure.DelayListenerAutoConfiguration;
import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.metrics.DelayQueueGauges;
import io.delayqueue.metrics.EventMeters;
import io.delayqueue.template.CommitOutbox;
import io.micrometer.core.instrument.MeterRegistry;
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
    EventMeters delayQueueEventMeters(MeterRegistry registry, DelayQueueProperties properties) {
        return new EventMeters(registry, properties.metrics().maxTopics());
    }

    @Bean
    DelayQueueGauges delayQueueGauges(
            MeterRegistry registry,
            TopicSampler sampler,
            HandlerForecasts forecasts,
            QueueDiagnosis diagnosis,
            EventMeters events,
            ObjectProvider<DelayListenerRegistry> listeners,
            ObjectProvider<CommitOutbox> outbox) {
        return new DelayQueueGauges(
                registry,
                sampler,
                forecasts,
                diagnosis,
                events,
                () -> listeners.stream()
                        .flatMap(each -> each.getContainers().stream())
                        .toList(),
                outbox.getIfAvailable(),
                System::nanoTime);
    }
}
