package io.delayqueue.autoconfigure.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.autoconfigure.QueueContexts;
import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.store.idempotency.IdempotencyKeys;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

/** Applications on a Redis whose settings may lose messages. {@link RedisCheckTests} tests what is logged. */
@EmbeddedRedis(dedicated = true)
@ExtendWith(OutputCaptureExtension.class)
class RedisSettingsTests {

    private static final String POLICY = "maxmemory-policy";
    private static final String EVICTS = "Redis may evict messages of the delay queue: its maxmemory-policy is '";

    private final RedisServerProcess redis;

    RedisSettingsTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeEach
    void allowEviction() {
        redis.command("CONFIG", "SET", "maxmemory", "0");
        redis.command("CONFIG", "SET", POLICY, "allkeys-lru");
        redis.command("CONFIG", "RESETSTAT");
        redis.flush();
    }

    private static ApplicationContextRunner on(int port) {
        return QueueContexts.withoutRedis()
                .withUserConfiguration(Texts.class)
                .withPropertyValues("spring.data.redis.port=" + port);
    }

    @Test
    void evictionFailsTheStartAndSaysWhatToDo(CapturedOutput output) {
        SpringApplication application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off", "spring.data.redis.port=" + redis.port())
                .initializers(context -> ((GenericApplicationContext) context)
                        .registerBean(SmartInitializingSingleton.class, () -> QueueContexts.untilRedisReplies(redis)))
                .build();
        assertThat(catchThrowable(() -> application.run().close())).isNotNull();
        assertThat(output)
                .contains("APPLICATION FAILED TO START", EVICTS + "allkeys-lru'")
                .contains("Set maxmemory-policy to noeviction", "@DelayQueueConnectionFactory")
                .contains("delayqueue.redis.allow-eviction=true");
        // listeners would have started
        assertThat(redis.command("DBSIZE")).isEqualTo(0L);
    }

    @Test
    void volatilePolicyKeepsMessagesButMayEvictIdempotencyKeys() {
        redis.command("CONFIG", "SET", POLICY, "volatile-ttl");
        on(redis.port()).run(context -> {
            DelayQueueTemplate delayQueue = context.getBean(DelayQueueTemplate.class);
            delayQueue.send("texts", "now");
            assertThat(context.getBean(Texts.class).next()).isEqualTo("now");
            String kept = delayQueue.send("texts", "later", Duration.ofHours(1)).id();
            assertThat(redis.info("keyspace").get("db0")).contains("expires=0");
            new IdempotencyKeys(
                            context.getBean(RedisScripts.class), context.getBean(KeySpace.class), new SecureRandom())
                    .reserve("texts", "key", "request", List.of());
            delayQueue.cancel(
                    "deleted",
                    delayQueue.send("deleted", "x", Duration.ofHours(1)).id());
            context.getBean(DelayQueueAdmin.class).deleteTopic("deleted");
            assertThat(redis.info("keyspace").get("db0")).contains("expires=2");

            List<String> sent = sendUntilMemoryIsFull(redis, delayQueue);

            assertThat(redis.info("stats").get("evicted_keys")).isEqualTo("2");
            assertThat(redis.info("keyspace").get("db0")).contains("expires=0");
            assertThat(delayQueue.find("texts", kept)).isPresent();
            assertThat(sent)
                    .hasSizeGreaterThan(1)
                    .allSatisfy(id -> assertThat(delayQueue.find("texts", id)).isPresent());
            assertThat(context.getBean(NodeDirectory.class).read().nodes()).hasSize(1);
        });
    }

    /** The ids of the accepted messages. */
    private static List<String> sendUntilMemoryIsFull(RedisServerProcess redis, DelayQueueTemplate delayQueue) {
        long used = Long.parseLong(redis.info("memory").get("used_memory"));
        redis.command("CONFIG", "SET", "maxmemory", Long.toString(used + 300_000));
        List<String> sent = new ArrayList<>();
        String text = "x".repeat(20_000);
        Throwable rejection = null;
        for (int i = 0; i < 1000 && rejection == null; i++) {
            rejection = catchThrowable(() ->
                    sent.add(delayQueue.send("texts", text, Duration.ofHours(1)).id()));
        }
        assertThat(rejection).hasMessageContaining("OOM");
        return sent;
    }

    @Configuration(proxyBeanMethods = false)
    static class Texts {

        private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

        @DelayListener(topic = "texts", id = "texts")
        void handle(String text) {
            received.add(text);
        }

        String next() throws InterruptedException {
            return received.poll(60, TimeUnit.SECONDS);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataRedisAutoConfiguration.class,
        DelayQueueAutoConfiguration.class,
        RedisCheckAutoConfiguration.class
    })
    static class Application {}
}
