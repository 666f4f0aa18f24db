package io.delayqueue.test.tasks;

import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.autoconfigure.QueueClock;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.event.EventBus;
import io.delayqueue.listener.DeliveryInterceptor;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.QueueConnections;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.RedisMessageStore;
import io.delayqueue.store.script.ShardReader;
import io.delayqueue.store.script.TopicRegistry;
import java.time.Clock;
import java.time.InstantSource;
import java.util.function.UnaryOperator;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Auto-configuration of tasks that a test runs, and of the time that it advances. Its scripts, store and clock take the
 * place of those of the queue.
 */
@AutoConfiguration(before = DelayQueueAutoConfiguration.class)
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
@ConditionalOnProperty(name = "delayqueue-test.tasks", havingValue = "manual")
public final class ManualTasksAutoConfiguration {

    /** Created by Spring. */
    public ManualTasksAutoConfiguration() {}

    @Bean
    ManualTasks delayQueueManualTasks(
            RedisScripts scripts,
            KeySpace keySpace,
            ShardReader reader,
            NodeDirectory nodes,
            ObjectProvider<DelayQueueEngine> engine,
            ObjectProvider<DelayListenerRegistry> listeners) {
        return new ManualTasks(scripts, keySpace, reader, nodes, engine, listeners);
    }

    /** The masters of a Cluster have no common clock that a test could move. */
    @Bean
    @ConditionalOnMissingBean
    RedisScripts delayQueueScripts(QueueConnections connections, KeySpace keySpace, EventBus events) {
        return new RedisScripts(
                connections,
                (script, failure) -> events.publish(listener -> listener.redisFailed(script, failure)),
                connections.isClustered() ? UnaryOperator.identity() : ManualTasks.scriptVariants(keySpace));
    }

    @Bean
    @ConditionalOnMissingBean
    MessageStore delayQueueMessageStore(ManualTasks tasks, KeySpace keySpace, TopicRegistry registry) {
        return tasks.store(scripts -> new RedisMessageStore(scripts, keySpace, registry));
    }

    @Bean
    QueueClock delayQueueClock(ManualTasks tasks) {
        return new QueueClock(tasks.clock());
    }

    @Bean
    @ConditionalOnMissingBean(InstantSource.class)
    Clock delayQueueTestClock(ManualTasks tasks) {
        return tasks.clock();
    }

    @Bean
    DeliveryInterceptor delayQueueRunningHandlers(ManualTasks tasks) {
        return tasks.interceptor();
    }
}
