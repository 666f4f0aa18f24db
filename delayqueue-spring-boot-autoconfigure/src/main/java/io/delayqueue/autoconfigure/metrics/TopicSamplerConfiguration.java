package io.delayqueue.autoconfigure.metrics;

import io.delayqueue.Internal;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.HandlerForecasts;
import io.delayqueue.admin.IdleTopics;
import io.delayqueue.admin.OverdueSchedules;
import io.delayqueue.admin.TopicSampler;
import io.delayqueue.admin.UnconsumedWarnings;
import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.autoconfigure.LifecycleAction;
import io.delayqueue.autoconfigure.QueueClock;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.redis.server.ServerProbe;
import io.delayqueue.redis.server.ServerState;
import io.delayqueue.store.script.TopicDeletion;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueSchedules;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The sampling of topics. Imported by each auto-configuration that shows samples. */
@Internal
@Configuration(proxyBeanMethods = false)
public class TopicSamplerConfiguration {

    @Bean
    @ConditionalOnMissingBean
    TopicSampler delayQueueTopicSampler(
            DelayQueueInspector inspector,
            ObjectProvider<ServerProbe> probe,
            UnconsumedWarnings unconsumed,
            DelayQueueProperties properties,
            QueueClock clock) {
        TopicSampler sampler = new TopicSampler(
                inspector,
                () -> servers(probe.getIfAvailable()),
                properties.metrics().sampleInterval(),
                clock.source(),
                System::nanoTime);
        sampler.onSample(() -> unconsumed.sampled(sampler.newest()));
        return sampler;
    }

    private static CompletableFuture<List<ServerState>> servers(@Nullable ServerProbe probe) {
        return probe == null ? CompletableFuture.completedFuture(List.of()) : probe.probeAll();
    }

    @Bean
    @ConditionalOnMissingBean
    IdleTopics delayQueueIdleTopics(
            TopicSampler sampler,
            TopicDeletion deletion,
            TopicRegistry registry,
            NodeDirectory nodes,
            DelayQueueProperties properties,
            DelayQueueEngine engine) {
        IdleTopics idle = new IdleTopics(
                deletion, registry, nodes, properties.metrics().forgetTopicsAfter(), engine::execute, System::nanoTime);
        sampler.onSample(() -> idle.sampled(sampler.newest()));
        return idle;
    }

    @Bean
    @ConditionalOnBean(DelayQueueSchedules.class)
    @ConditionalOnMissingBean
    OverdueSchedules delayQueueOverdueSchedules(
            TopicSampler sampler, DelayQueueSchedules schedules, DelayQueueEngine engine) {
        OverdueSchedules overdue = new OverdueSchedules(schedules, engine::execute, System::nanoTime);
        sampler.onSample(() -> overdue.sampled(sampler.newest()));
        return overdue;
    }

    @Bean
    @ConditionalOnMissingBean
    HandlerForecasts delayQueueHandlerForecasts(
            TopicSampler sampler,
            DelayQueueInspector inspector,
            ObjectProvider<DelayQueueSchedules> schedules,
            DelayQueueProperties properties,
            DelayQueueEngine engine) {
        HandlerForecasts forecasts = new HandlerForecasts(
                inspector, schedules.getIfAvailable(), properties.toMaxLateness(), engine::execute, System::nanoTime);
        sampler.onSample(() -> sampler.nodes().ifPresent(nodes -> forecasts.sampled(sampler.newest(), nodes)));
        return forecasts;
    }

    /** Samples topics while the application runs. */
    @Bean
    LifecycleAction delayQueueTopicSampling(TopicSampler sampler, DelayQueueEngine engine) {
        return new LifecycleAction(
                SmartLifecycle.DEFAULT_PHASE, true, () -> sampler.schedule(engine.tasks(), "sampler"), sampler::cancel);
    }
}
