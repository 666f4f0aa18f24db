package io.delayqueue.test;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.ShardReader;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.test.tasks.ManualTasks;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the {@link DelayQueueHarness} for applications with a delay queue. */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class)
@ConditionalOnBean(DelayQueueEngine.class)
@EnableConfigurationProperties(HarnessProperties.class)
public final class DelayQueueHarnessAutoConfiguration {

    /** Created by Spring. */
    public DelayQueueHarnessAutoConfiguration() {}

    @Bean
    AcknowledgedMessages delayQueueHarnessEvents() {
        return new AcknowledgedMessages();
    }

    @Bean
    @ConditionalOnMissingBean
    DelayQueueHarness delayQueueHarness(
            HarnessProperties properties,
            MessageStore store,
            TopicRegistry topics,
            DelayQueueAdmin admin,
            ShardReader reader,
            AcknowledgedMessages acknowledged,
            ObjectProvider<ManualTasks> tasks) {
        return new DelayQueueHarness(
                store,
                topics,
                admin,
                new DueTimes(store, reader),
                acknowledged,
                properties.timeout(),
                tasks.getIfAvailable());
    }
}
