package io.delayqueue.autoconfigure.health;

import io.delayqueue.admin.DeclaredLimits;
import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.autoconfigure.LifecycleAction;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.redis.server.ServerProbe;
import io.delayqueue.store.script.TopicLimiter;
import io.delayqueue.store.script.TopicRegistry;
import java.time.InstantSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the startup checks of Redis' settings, of the topics' numbers of shards and of their limits. It
 * does not require Actuator.
 */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class)
@ConditionalOnBean(DelayQueueEngine.class)
public final class RedisCheckAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    ServerProbe delayQueueServerProbe(RedisScripts scripts, KeySpace keySpace) {
        return new ServerProbe(scripts, keySpace, InstantSource.system(), System::nanoTime);
    }

    /**
     * Runs after the connection factories, whose phase is 0, and before the beans that send, listen or serve requests.
     */
    @Bean
    LifecycleAction delayQueueRedisCheck(ServerProbe probe, DelayQueueEngine engine, DelayQueueProperties properties) {
        RedisCheck check = new RedisCheck(probe, engine.tasks(), properties.redis()).begin();
        return new LifecycleAction(1, false, check::check, check::cancel);
    }

    /** Runs after the check of Redis' settings. */
    @Bean
    LifecycleAction delayQueueShardsCheck(TopicRegistry registry) {
        return new LifecycleAction(2, false, new ShardsCheck(registry)::check, () -> {});
    }

    /** Runs after the check of the numbers of shards. */
    @Bean
    LifecycleAction delayQueueLimitsCheck(TopicRegistry registry, TopicLimiter limiter, DelayQueueEngine engine) {
        LimitsCheck check = new LimitsCheck(
                registry.declared(),
                new DeclaredLimits(limiter, registry.declared(), System::nanoTime),
                engine.tasks());
        return new LifecycleAction(3, false, check::check, check::cancel);
    }
}
