package io.delayqueue.autoconfigure.health;

import io.delayqueue.actuate.health.DelayQueueHealthIndicator;
import io.delayqueue.actuate.health.HealthSettings;
import io.delayqueue.actuate.health.TopicLags;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.TopicSampler;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.QueueDiagnosis;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.autoconfigure.DelayListenerAutoConfiguration;
import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.coordination.LeaseHolder;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.redis.server.ServerProbe;
import io.delayqueue.store.script.TopicRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the health indicator {@code delayqueue}. */
@AutoConfiguration(after = {RedisCheckAutoConfiguration.class, DelayListenerAutoConfiguration.class})
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(ServerProbe.class)
@ConditionalOnEnabledHealthIndicator("delayqueue")
public final class HealthAutoConfiguration {

    /** Spring Boot derives the indicator's name from the name of the bean. */
    @Bean("delayqueueHealthIndicator")
    @ConditionalOnMissingBean(name = "delayqueueHealthIndicator")
    DelayQueueHealthIndicator delayQueueHealthIndicator(
            ServerProbe probe,
            DelayQueueEngine engine,
            DelayQueueInspector inspector,
            TopicRegistry topics,
            ObjectProvider<DelayListenerRegistry> registry,
            ObjectProvider<TopicSampler> sampler,
            QueueDiagnosis diagnosis,
            DelayQueueProperties properties) {
        HealthSettings settings = properties.health().toSettings(properties.redis());
        Duration oldest = properties.metrics().sampleInterval().multipliedBy(3);
        TopicLags lags = new TopicLags(
                () -> lags(sampled(sampler, oldest)),
                inspector::lag,
                settings.maxLag().keySet(),
                System::nanoTime);
        return new DelayQueueHealthIndicator(
                probe,
                () -> listeners(registry),
                () -> engine.signals().confirmed(),
                lags,
                () -> inspector
                        .nodesAsync()
                        .thenCombine(
                                probe.probeAll(),
                                (nodes, servers) ->
                                        diagnosis.diagnose(sampled(sampler, oldest), nodes, servers, holders(sampler))),
                topics,
                settings,
                System::nanoTime);
    }

    /** The topics of the newest sample, unless it is too old. */
    private static List<TopicStatus> sampled(ObjectProvider<TopicSampler> samplers, Duration oldest) {
        TopicSampler sampler = samplers.getIfAvailable();
        if (sampler == null
                || sampler.age().filter(age -> age.compareTo(oldest) <= 0).isEmpty()) {
            return List.of();
        }
        return sampler.newest();
    }

    private static List<LeaseHolder> holders(ObjectProvider<TopicSampler> samplers) {
        TopicSampler sampler = samplers.getIfAvailable();
        return sampler == null ? List.of() : sampler.holders();
    }

    private static Map<String, Duration> lags(List<TopicStatus> topics) {
        Map<String, Duration> lags = new HashMap<>();
        for (TopicStatus topic : topics) {
            TopicCounts counts = topic.counts();
            if (counts != null) {
                lags.put(topic.topic(), counts.lag());
            }
        }
        return lags;
    }

    private static Collection<ManagedListener> listeners(ObjectProvider<DelayListenerRegistry> registry) {
        DelayListenerRegistry present = registry.getIfAvailable();
        return present == null ? List.of() : present.getContainers();
    }
}
