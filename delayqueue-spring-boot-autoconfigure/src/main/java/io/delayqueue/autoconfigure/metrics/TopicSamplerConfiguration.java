package io.delayqueue.autoconfigure.metrics;

import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.TopicSampler;
import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.container.DelayQueueEngine;
import java.time.InstantSource;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The sampling of topics, imported by each auto-configuration of something that shows samples. */
@Configuration(proxyBeanMethods = false)
public class TopicSamplerConfiguration {

    @Bean
    @ConditionalOnMissingBean
    TopicSampler delayQueueTopicSampler(DelayQueueInspector inspector, DelayQueueProperties properties) {
        return new TopicSampler(
                inspector, properties.metrics().sampleInterval(), InstantSource.system(), System::nanoTime);
    }

    @Bean
    TopicSampling delayQueueTopicSampling(TopicSampler sampler, DelayQueueEngine engine) {
        return new TopicSampling(sampler, engine.steps());
    }
}
