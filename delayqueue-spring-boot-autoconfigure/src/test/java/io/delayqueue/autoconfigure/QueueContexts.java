package io.delayqueue.autoconfigure;

import static org.awaitility.Awaitility.await;

import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.autoconfigure.health.RedisCheckAutoConfiguration;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.test.autoconfigure.TestRedisAutoConfiguration;
import io.delayqueue.test.redis.RedisServerProcess;
import java.util.UUID;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Applications with the starter, each in a namespace of its own. */
public final class QueueContexts {

    private QueueContexts() {}

    /** With the Redis for tests. */
    public static ApplicationContextRunner onRedis() {
        return withoutRedis().withConfiguration(AutoConfigurations.of(TestRedisAutoConfiguration.class));
    }

    /** Without a Redis: no server listens on its port. */
    public static ApplicationContextRunner withoutRedis() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataRedisAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        TaskExecutionAutoConfiguration.class,
                        TaskSchedulingAutoConfiguration.class,
                        PayloadConverterAutoConfiguration.class,
                        DelayQueueAutoConfiguration.class,
                        DelayListenerAutoConfiguration.class,
                        RedisCheckAutoConfiguration.class))
                .withPropertyValues("delayqueue.namespace=" + UUID.randomUUID());
    }

    /** Delays the start until Redis has run a script, so that its first reply is not late. */
    public static SmartInitializingSingleton untilRedisReplies(RedisServerProcess redis) {
        return () -> await().until(() ->
                redis.info("commandstats").keySet().stream().anyMatch(command -> command.startsWith("cmdstat_eval")));
    }

    static ListenerOptions options(ApplicationContext context, String listener) {
        return context.getBean(DelayListenerRegistry.class)
                .getContainer(listener)
                .orElseThrow()
                .options();
    }
}
