package io.delayqueue.autoconfigure.health;

import static io.delayqueue.autoconfigure.health.HealthTests.awaitStatus;
import static io.delayqueue.autoconfigure.health.HealthTests.health;
import static io.delayqueue.autoconfigure.health.HealthTests.problems;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.health.DataRedisHealthContributorAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** The status while Redis is killed or hangs, and how long a check takes. */
@Tag("long")
@Tag("core")
class HealthOutageTests {

    /** The second that a check may take, and time for a slow machine. */
    private static final Duration MARGIN = Duration.ofSeconds(3);

    private final RedisServerProcess redis =
            RedisServerProcess.builder().appendOnly().start();
    private final FaultProxy network = FaultProxy.inFrontOf(redis);
    private final ApplicationContextRunner runner = HealthTests.on(network.port());

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

    /** docs/health.md says how long the contributor of Boot takes. */
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
    void halfOpenConnectionIsDownWithinASecondUntilItIsReplaced() {
        // longer than the second that a check waits
        runner.withPropertyValues("delayqueue.redis.command-timeout=5s").run(context -> {
            awaitStatus(Status.UP, context);
            network.halfOpen(Direction.SERVER_TO_CLIENT);
            Health health = timed("a half-open connection", context);
            assertThat(health.getStatus()).isEqualTo(Status.DOWN);
            assertThat(problems(health)).contains("Redis did not respond within 1 s");
            awaitStatus(Status.UP, context);
        });
    }
}
