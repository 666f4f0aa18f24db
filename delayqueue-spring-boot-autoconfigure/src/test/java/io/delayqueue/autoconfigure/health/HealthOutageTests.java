package io.delayqueue.autoconfigure.health;

import static io.delayqueue.autoconfigure.health.HealthTests.awaitStatus;
import static io.delayqueue.autoconfigure.health.HealthTests.health;
import static io.delayqueue.autoconfigure.health.HealthTests.part;
import static io.delayqueue.autoconfigure.health.HealthTests.problems;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.autoconfigure.QueueContexts;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.health.DataRedisHealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;

/** The status while Redis is killed or hangs, and how long a check takes. */
@Tag("long")
@Tag("core")
class HealthOutageTests {

    /** The second that a check may take, and time for a slow machine. */
    private static final Duration MARGIN = Duration.ofSeconds(3);

    private final RedisServerProcess redis =
            RedisServerProcess.builder().appendOnly().start();
    private final FaultProxy network = FaultProxy.inFrontOf(redis);
    private final ApplicationContextRunner runner = QueueContexts.withoutRedis()
            .withConfiguration(AutoConfigurations.of(
                    HealthContributorRegistryAutoConfiguration.class, HealthAutoConfiguration.class))
            .withUserConfiguration(Listeners.class)
            .withPropertyValues("spring.data.redis.port=" + network.port(), "delayqueue.engine.sweep=1s");

    @AfterEach
    void close() {
        network.close();
        redis.close();
    }

    /** Reads the health and prints the duration. */
    private static Health timed(String situation, ApplicationContext context) {
        long begin = System.nanoTime();
        Health health = health(context);
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        System.out.println("health with " + situation + ": " + health.getStatus() + " in " + took.toMillis() + " ms");
        assertThat(took).isLessThan(MARGIN);
        return health;
    }

    /** docs/observability.md says how long the contributor of Boot takes. */
    @Test
    void redisContributorOfBootTakesTheTimeoutOfTheApplicationWhileRedisHangs() {
        Duration timeout = Duration.ofMillis(500);
        runner.withConfiguration(AutoConfigurations.of(DataRedisHealthContributorAutoConfiguration.class))
                .withPropertyValues("spring.data.redis.timeout=" + timeout.toMillis() + "ms")
                .run(context -> {
                    awaitStatus(Status.UP, context);
                    HealthIndicator boot = (HealthIndicator)
                            context.getBean(HealthContributorRegistry.class).getContributor("redis");
                    await().until(() -> boot.health().getStatus().equals(Status.UP));
                    network.blackHole(Direction.values());
                    long begin = System.nanoTime();
                    assertThat(boot.health().getStatus()).isEqualTo(Status.DOWN);
                    Duration took = Duration.ofNanos(System.nanoTime() - begin);
                    System.out.println("Boot's contributor redis: " + took.toMillis() + " ms");
                    assertThat(took).isBetween(timeout, timeout.plus(MARGIN));
                    assertThat(timed("a Redis that hangs", context).getStatus()).isEqualTo(Status.DOWN);
                });
    }

    @Test
    void unavailableRedisIsDownUntilItReturns() {
        runner.run(context -> {
            awaitStatus(Status.UP, context);
            redis.kill();
            Health health = timed("an unavailable Redis", context);
            assertThat(health.getStatus()).isEqualTo(Status.DOWN);
            assertThat(problems(health)).isNotEmpty();
            assertThat(part(health, "redis")).isEmpty();
            assertThat(part(health, "listeners")).containsOnlyKeys("texts", "failing");
            redis.restart();
            awaitStatus(Status.UP, context);
        });
    }

    @Test
    void halfOpenConnectionIsDownWithinASecondUntilItIsReplaced() {
        // longer than the second that a check waits
        runner.withPropertyValues("delayqueue.redis.command-timeout=5s").run(context -> {
            awaitStatus(Status.UP, context);
            network.halfOpen(Direction.SERVER_TO_CLIENT);
            Health health = timed("a half-open connection", context);
            assertThat(health.getStatus()).isEqualTo(Status.DOWN);
            assertThat(problems(health)).contains("Redis did not respond within PT1S");
            awaitStatus(Status.UP, context);
        });
    }

    @Test
    void listenerWithoutAnAssignedShardIsNotDown() {
        runner.withPropertyValues("delayqueue.health.max-failing=1s", "delayqueue.engine.sweep=1s")
                .withUserConfiguration(Others.class)
                .run(context -> {
                    awaitStatus(Status.UP, context);
                    await().untilAsserted(() -> {
                        Health health = health(context);
                        assertThat(health.getStatus()).as(health.toString()).isEqualTo(Status.UP);
                        assertThat(Stream.of("texts", "other")
                                        .map(listener -> part(health, "listeners", listener))
                                        .mapToLong(listener -> (Long) listener.getOrDefault("sincePollMillis", 0L)))
                                .anyMatch(millis -> millis > 2000);
                    });
                });
    }

    @Test
    void detailsContainNoDataOfMessages() {
        runner.withPropertyValues("delayqueue.health.max-failing=1s", "delayqueue.health.max-lag[failing]=1ms")
                // without Redis the settlements fail at the end
                .withPropertyValues("delayqueue.listener.drain-time=300ms", "delayqueue.redis.command-timeout=3s")
                .run(context -> {
                    DelayListenerRegistry registry = context.getBean(DelayListenerRegistry.class);
                    CountDownLatch failed = context.getBean(Listeners.class).failed;
                    context.getBean(DelayQueueTemplate.class)
                            .send(DelayMessage.to("failing")
                                    .id("id-of-it")
                                    .payload("payload-of-it")
                                    .header("name-of-it", "value-of-it")
                                    .build());
                    assertThat(failed.await(30, TimeUnit.SECONDS)).isTrue();
                    registry.pause("failing");
                    awaitStatus(Status.OUT_OF_SERVICE, context);
                    assertThat(health(context).toString()).doesNotContain("-of-it");
                    redis.kill();
                    awaitStatus(Status.DOWN, context);
                    assertThat(health(context).toString()).doesNotContain("-of-it");
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class Listeners {

        private final CountDownLatch failed = new CountDownLatch(1);

        @DelayListener(topic = "texts", id = "texts")
        void handle(String text) {}

        @DelayListener(topic = "failing", id = "failing", backoff = "fixed 50ms", maxAttempts = "1000")
        void fail(String text) {
            failed.countDown();
            throw new IllegalStateException("no use for " + text);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Others {

        @DelayListener(topic = "texts", id = "other")
        void handle(String text) {}
    }
}
