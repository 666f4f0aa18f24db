package io.delayqueue.autoconfigure.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.autoconfigure.QueueContexts;
import io.delayqueue.autoconfigure.failure.StartFailedException;
import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.store.idempotency.IdempotencyKeys;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

/** Settings of Redis that fail the start or are logged. */
@ExtendWith(OutputCaptureExtension.class)
class RedisCheckTests {

    private static final String POLICY = "maxmemory-policy";
    private static final String EVICTS = "Redis may evict messages of the delay queue: its maxmemory-policy is '";
    private static final String KEEPS_NOTHING = "Redis writes no append-only file";

    /** A second, and three times the start of a context. */
    private static final Duration SOON = Duration.ofSeconds(9);

    private static ApplicationContextRunner on(int port) {
        return QueueContexts.withoutRedis()
                .withUserConfiguration(Texts.class)
                .withPropertyValues("spring.data.redis.port=" + port);
    }

    private static RedisServerProcess server(String policy) {
        return RedisServerProcess.builder().setting(POLICY, policy).start();
    }

    /** The check waits for Redis for a second. The first use of the client in a JVM may take longer. */
    @BeforeAll
    static void warmUp() {
        try (RedisServerProcess redis =
                RedisServerProcess.builder().appendOnly().start()) {
            on(redis.port()).run(context -> assertThat(context).hasNotFailed());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"allkeys-lru", "allkeys-lfu", "allkeys-random"})
    void evictionFailsTheStart(String policy) {
        try (RedisServerProcess redis = server(policy)) {
            on(redis.port())
                    .run(context -> assertThat(context)
                            .getFailure()
                            .hasRootCauseInstanceOf(StartFailedException.class)
                            .rootCause()
                            .hasMessageContaining(EVICTS + policy + "'"));
            // listeners would have started
            assertThat(redis.command("DBSIZE")).isEqualTo(0L);
        }
    }

    @Test
    void failureSaysWhatToDo(CapturedOutput output) {
        try (RedisServerProcess redis = server("allkeys-lru")) {
            SpringApplication application = new SpringApplicationBuilder(Application.class)
                    .web(WebApplicationType.NONE)
                    .properties("spring.main.banner-mode=off", "spring.data.redis.port=" + redis.port())
                    .build();
            assertThat(catchThrowable(() -> application.run().close())).isNotNull();
        }
        assertThat(output)
                .contains("APPLICATION FAILED TO START", EVICTS + "allkeys-lru'")
                .contains("Set maxmemory-policy to noeviction", "@DelayQueueConnectionFactory")
                .contains("delayqueue.redis.allow-eviction=true");
    }

    @Test
    void checkDoesNotRequireActuator() {
        try (RedisServerProcess redis = server("allkeys-lru")) {
            on(redis.port())
                    .withClassLoader(new FilteredClassLoader(
                            "org.springframework.boot.actuate", "org.springframework.boot.health", "io.micrometer"))
                    .run(context -> assertThat(context)
                            .getFailure()
                            .hasRootCauseInstanceOf(StartFailedException.class)
                            .rootCause()
                            .hasMessageContaining(EVICTS + "allkeys-lru'"));
        }
    }

    @Test
    void allowedEvictionIsLoggedAsWarning(CapturedOutput output) {
        try (RedisServerProcess redis = server("allkeys-lru")) {
            on(redis.port())
                    .withPropertyValues("delayqueue.redis.allow-eviction=true")
                    .run(context -> assertThat(context).hasNotFailed());
        }
        assertThat(output).contains(EVICTS + "allkeys-lru'", "delayqueue.redis.allow-eviction is true");
    }

    @ParameterizedTest
    @ValueSource(strings = {"volatile-lru", "volatile-ttl", "volatile-random", "volatile-lfu"})
    void volatilePolicyKeepsMessagesButMayEvictIdempotencyKeys(String policy, CapturedOutput output) {
        try (RedisServerProcess redis = server(policy)) {
            on(redis.port()).run(context -> {
                DelayQueueTemplate delayQueue = context.getBean(DelayQueueTemplate.class);
                delayQueue.send("texts", "now");
                assertThat(context.getBean(Texts.class).next()).isEqualTo("now");
                String kept =
                        delayQueue.send("texts", "later", Duration.ofHours(1)).id();
                assertThat(redis.info("keyspace").get("db0")).contains("expires=0");
                new IdempotencyKeys(
                                context.getBean(RedisScripts.class),
                                context.getBean(KeySpace.class),
                                new SecureRandom())
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
                        .allSatisfy(
                                id -> assertThat(delayQueue.find("texts", id)).isPresent());
                assertThat(context.getBean(NodeDirectory.class).read().nodes()).hasSize(1);
            });
        }
        assertThat(output)
                .containsOnlyOnce(
                        "Redis' maxmemory-policy is '" + policy + "'. When memory is full, Redis keeps all messages,")
                .doesNotContain("may evict messages");
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

    @Test
    void missingAppendOnlyFileIsLoggedAsWarning(CapturedOutput output) {
        try (RedisServerProcess redis = RedisServerProcess.start()) {
            on(redis.port()).run(context -> assertThat(context).hasNotFailed());
        }
        assertThat(output).containsOnlyOnce(KEEPS_NOTHING);
    }

    @Test
    void durableServerIsNotLogged(CapturedOutput output) {
        try (RedisServerProcess redis =
                RedisServerProcess.builder().appendOnly().start()) {
            on(redis.port()).run(context -> assertThat(context).hasNotFailed());
        }
        assertThat(output).doesNotContain(KEEPS_NOTHING, "may evict messages");
    }

    @Test
    void checkIsSkippedWithoutPermissionForInfo(CapturedOutput output) {
        try (RedisServerProcess redis = server("allkeys-lru")) {
            redis.command("ACL", "SETUSER", "limited", "on", ">secret", "~*", "&*", "+@all", "-info", "-config");
            on(redis.port())
                    .withPropertyValues("spring.data.redis.username=limited", "spring.data.redis.password=secret")
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        context.getBean(DelayQueueTemplate.class).send("texts", "text");
                        assertThat(context.getBean(Texts.class).next()).isEqualTo("text");
                    });
        }
        assertThat(output).doesNotContain(KEEPS_NOTHING, "may evict messages");
    }

    @Test
    void unavailableServerIsCheckedWhenItStarts(CapturedOutput output) {
        try (RedisServerProcess redis = server("allkeys-lru")) {
            redis.kill();
            on(redis.port()).run(context -> {
                assertThat(context).hasNotFailed();
                assertThat(output).doesNotContain(EVICTS);
                redis.restart();
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> output.toString().contains(EVICTS));
                // a running application is not stopped
                context.getBean(DelayQueueTemplate.class).send("texts", "text");
                assertThat(context.getBean(Texts.class).next()).isEqualTo("text");
            });
        }
        assertThat(output).containsOnlyOnce(EVICTS).contains("ERROR", "the next start of the application fails");
    }

    @Test
    void unresponsiveServerDelaysTheStartByASecond(CapturedOutput output) {
        try (RedisServerProcess redis = server("allkeys-lru");
                FaultProxy network = FaultProxy.inFrontOf(redis)) {
            network.blackHole(Direction.CLIENT_TO_SERVER);
            long begin = System.nanoTime();
            ApplicationContextRunner application =
                    on(network.port()).withPropertyValues("delayqueue.redis.command-timeout=1500ms");
            application.run(context -> {
                Duration took = Duration.ofNanos(System.nanoTime() - begin);
                System.out.println("start on an unresponsive Redis: " + took.toMillis() + " ms");
                assertThat(context).hasNotFailed();
                assertThat(took).isLessThan(SOON);
                network.pass();
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> output.toString().contains(EVICTS));
            });
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Texts {

        private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

        @DelayListener(topic = "texts", id = "texts")
        void handle(String text) {
            received.add(text);
        }

        String next() throws InterruptedException {
            return received.poll(30, TimeUnit.SECONDS);
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
