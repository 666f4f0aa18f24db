package io.delayqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

import io.delayqueue.redis.KeySpace;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** The choice of the connection factory. */
@EmbeddedRedis
class ConnectionFactoryTests {

    private RedisServerProcess shared;
    private ApplicationContextRunner runner;

    @BeforeEach
    void onTheSharedServer(RedisServerProcess server) {
        shared = server;
        runner = QueueContexts.withoutRedis()
                .withPropertyValues(
                        "spring.data.redis.host=" + server.host(), "spring.data.redis.port=" + server.port());
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void factoryOfAnApplicationWithVirtualThreadsIsUsed() {
        runner.withPropertyValues("spring.threads.virtual.enabled=true").run(context -> {
            assertThat(context).doesNotHaveBean("redisConnectionFactory").hasSingleBean(RedisConnectionFactory.class);
            assertThat(isQueueOn(shared, context)).isTrue();
        });
    }

    @Test
    void primaryFactoryIsUsed() {
        withPrimary()
                .withBean("nowhere", RedisConnectionFactory.class, () -> at(1))
                .run(context -> assertThat(isQueueOn(shared, context)).isTrue());
    }

    @Test
    void markedFactoryPrecedesThePrimaryOne() {
        try (RedisServerProcess own = RedisServerProcess.start()) {
            withPrimary()
                    .withPropertyValues("own.port=" + own.port())
                    .withUserConfiguration(Marked.class)
                    .run(context -> {
                        assertThat(isQueueOn(own, context)).isTrue();
                        assertThat(isQueueOn(shared, context)).isFalse();
                    });
        }
    }

    @Test
    void markedFactoryMayBeAddedToThatOfSpringBoot() {
        try (RedisServerProcess own = RedisServerProcess.start()) {
            runner.withPropertyValues("own.port=" + own.port())
                    .withUserConfiguration(MarkedAside.class)
                    .run(context -> {
                        assertThat(isQueueOn(own, context)).isTrue();
                        context.getBean(StringRedisTemplate.class).opsForValue().set("application", "here");
                        assertThat(shared.command("GET", "application")).isEqualTo("here");
                    });
        }
    }

    @Test
    void applicationOnJedisKeepsItsFactory() {
        runner.withPropertyValues("spring.data.redis.client-type=jedis").run(context -> {
            assertThat(context.getBean(RedisConnectionFactory.class)).isInstanceOf(JedisConnectionFactory.class);
            context.getBean(StringRedisTemplate.class).opsForValue().set("jedis", "here");
            assertThat(shared.command("GET", "jedis")).isEqualTo("here");
            assertThat(isQueueOn(shared, context)).isTrue();
        });
    }

    @Test
    void newPasswordOfAnApplicationOnJedisIsUsedFromTheNextConnectionOn() {
        try (RedisServerProcess own = RedisServerProcess.start()) {
            own.command("ACL", "SETUSER", "queue", "on", ">old", "~*", "&*", "+@all");
            runner.withPropertyValues(
                            "spring.data.redis.client-type=jedis",
                            "spring.data.redis.port=" + own.port(),
                            "spring.data.redis.username=queue",
                            "spring.data.redis.password=old")
                    .run(context -> {
                        assertThat(isQueueOn(own, context)).isTrue();
                        own.command("ACL", "SETUSER", "queue", ">new", "<old");
                        context.getBean(JedisConnectionFactory.class)
                                .getStandaloneConfiguration()
                                .setPassword("new");
                        own.command("CLIENT", "KILL", "USER", "queue");

                        DelayQueueTemplate template = context.getBean(DelayQueueTemplate.class);
                        await().ignoreExceptions()
                                .until(() -> template.send("t", "text").id() != null);
                    });
        }
    }

    @Test
    void connectionDetailsServeIfTheFactoryIsOfAnotherLibrary() {
        runner.withUserConfiguration(OfAnotherLibrary.class)
                .run(context -> assertThat(isQueueOn(shared, context)).isTrue());
    }

    private ApplicationContextRunner withPrimary() {
        return runner.withBean(
                "primary", RedisConnectionFactory.class, () -> at(shared.port()), bean -> bean.setPrimary(true));
    }

    private static boolean isQueueOn(RedisServerProcess server, ApplicationContext context) {
        context.getBean(DelayQueueTemplate.class).send("t", "text");
        String namespace = context.getBean(KeySpace.class).namespace();
        return server.command("KEYS", namespace + ":*") instanceof List<?> keys && !keys.isEmpty();
    }

    private static RedisConnectionFactory at(int port) {
        return new LettuceConnectionFactory("127.0.0.1", port);
    }

    @Configuration(proxyBeanMethods = false)
    static class Marked {

        @Bean
        @DelayQueueConnectionFactory
        RedisConnectionFactory queue(Environment environment) {
            return at(environment.getRequiredProperty("own.port", Integer.class));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfAnotherLibrary {

        @Bean
        RedisConnectionFactory theirs() {
            return mock(RedisConnectionFactory.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MarkedAside {

        @Bean(defaultCandidate = false)
        @DelayQueueConnectionFactory
        RedisConnectionFactory queue(Environment environment) {
            return at(environment.getRequiredProperty("own.port", Integer.class));
        }
    }
}
