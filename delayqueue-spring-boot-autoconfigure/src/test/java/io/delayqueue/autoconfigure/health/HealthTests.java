package io.delayqueue.autoconfigure.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.TopicSampler;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.autoconfigure.DelayListenerAutoConfiguration;
import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.autoconfigure.QueueContexts;
import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Status and details of the health indicator, with a real Redis. */
@EmbeddedRedis(settings = "appendonly yes")
class HealthTests {

    private static final Status DEGRADED = new Status("DEGRADED");

    private final RedisServerProcess redis;
    private final ApplicationContextRunner runner;

    HealthTests(RedisServerProcess redis) {
        this.redis = redis;
        this.runner = on(redis.port());
    }

    static ApplicationContextRunner on(int port) {
        return QueueContexts.withoutRedis()
                .withConfiguration(AutoConfigurations.of(
                        HealthContributorRegistryAutoConfiguration.class, HealthAutoConfiguration.class))
                .withUserConfiguration(Listeners.class)
                .withPropertyValues("spring.data.redis.port=" + port)
                .withPropertyValues("delayqueue.engine.sweep=200ms", "delayqueue.engine.unconfirmed-sweep=200ms");
    }

    @AfterEach
    void restoreSettings() {
        redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
        redis.command("CONFIG", "SET", "min-replicas-to-write", "0");
    }

    static Health health(ApplicationContext context) {
        HealthContributorRegistry registry = context.getBean(HealthContributorRegistry.class);
        return ((HealthIndicator) registry.getContributor("delayqueue")).health();
    }

    /** Reads the health. Repeats while the check of Redis times out after a second, as on a busy machine. */
    private static Health timely(ApplicationContext context) {
        return await().until(() -> health(context), health -> !health.toString().contains("did not respond within"));
    }

    static void awaitStatus(Status status, ApplicationContext context) {
        await().untilAsserted(() -> {
            Health health = health(context);
            assertThat(health.getStatus()).as(health.toString()).isEqualTo(status);
        });
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> part(Health health, String... names) {
        Object part = health.getDetails();
        for (String name : names) {
            part = ((Map<String, Object>) part).get(name);
        }
        return (Map<String, Object>) part;
    }

    @SuppressWarnings("unchecked")
    static List<String> problems(Health health) {
        return (List<String>) health.getDetails().getOrDefault("problems", List.of());
    }

    private static String meta(ApplicationContext context, String topic) {
        byte[] meta = context.getBean(KeySpace.class).of(Shard.single(topic)).meta();
        return new String(meta, StandardCharsets.UTF_8);
    }

    @Test
    void workingQueueIsUp() {
        runner.run(context -> {
            awaitStatus(Status.UP, context);
            await().until(() -> part(health(context), "listeners", "texts").containsKey("sincePollMillis"));
            Health health = timely(context);

            assertThat(problems(health)).isEmpty();
            assertThat(health.getDetails()).containsKey("signalsHeard");
            assertThat(part(health, "format")).containsOnly(Map.entry("reads", 1), Map.entry("seen", List.of("1")));
            Map<String, String> server = redis.info("server");
            String valkey = server.get("valkey_version");
            assertThat(part(health, "redis"))
                    .containsEntry("version", valkey != null ? "Valkey " + valkey : server.get("redis_version"))
                    .containsEntry("maxMemory", 0L)
                    .containsEntry("maxMemoryPolicy", "noeviction")
                    .containsEntry("appendOnly", "on")
                    .containsKeys("roundTripMillis", "clockSkewMillis");
            assertThat(part(health, "listeners", "texts"))
                    .containsEntry("topic", "texts")
                    .containsEntry("state", "running")
                    .doesNotContainKeys("failure", "failingForMillis", "overdueForMillis");
        });
    }

    /** As with a proxy that does not forward pub/sub. */
    @Test
    void queueWithoutPubSubDeliversBySweepsAndReportsMissingSignals() {
        redis.command("ACL", "SETUSER", "proxied", "on", ">secret", "~*", "+@all", "-@pubsub", "resetchannels");
        runner.withPropertyValues(
                        "spring.data.redis.username=proxied",
                        "spring.data.redis.password=secret",
                        "delayqueue.engine.heartbeat=200ms",
                        "delayqueue.engine.unconfirmed-sweep=100ms")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    awaitStatus(Status.UP, context);
                    await().until(() ->
                            part(health(context), "listeners", "texts").containsKey("sincePollMillis"));
                    DelayQueueTemplate delayQueue = context.getBean(DelayQueueTemplate.class);
                    delayQueue.send(
                            DelayMessage.to("texts").id("swept").payload("text").build());

                    await().until(() -> delayQueue.find("texts", "swept").isEmpty());
                    assertThat(timely(context).getStatus()).isEqualTo(Status.UP);
                    assertThat(timely(context).getDetails()).containsEntry("signalsHeard", false);

                    redis.command("ACL", "SETUSER", "proxied", "+@pubsub", "allchannels");
                    await().until(() ->
                            Boolean.TRUE.equals(health(context).getDetails().get("signalsHeard")));
                });
    }

    @Test
    void failingHandlersDegradeTheHealthWithoutDataOfTheMessage() {
        runner.withUserConfiguration(FailingListener.class)
                .withPropertyValues("delayqueue.engine.heartbeat=200ms")
                .run(context -> {
                    awaitStatus(Status.UP, context);
                    context.getBean(DelayQueueTemplate.class)
                            .send(DelayMessage.to("payment")
                                    .id("id-of-it")
                                    .payload("payload-of-it")
                                    .header("name-of-it", "value-of-it")
                                    .build());
                    awaitStatus(DEGRADED, context);
                    Health health = timely(context);
                    assertThat(problems(health))
                            .singleElement()
                            .asString()
                            .matches("Topic payment: 0 of \\d+ attempts succeeded in the last minute\\. It has been"
                                    + " failing for (?:less than 1|\\d+) s\\.");
                    assertThat(health.toString()).doesNotContain("Jane Doe", "-of-it");
                });
    }

    @Test
    void missingReplicasAreReportedByTheSettingThatRequiresThem() {
        runner.withPropertyValues("delayqueue.health.max-failing=1s").run(context -> {
            DelayQueueTemplate delayQueue = context.getBean(DelayQueueTemplate.class);
            delayQueue.send(DelayMessage.to("texts")
                    .id("waits")
                    .payload("text")
                    .delay(Duration.ofHours(1))
                    .build());
            awaitStatus(Status.UP, context);
            redis.command("CONFIG", "SET", "min-replicas-to-write", "1");

            assertThatThrownBy(() -> delayQueue.send("texts", "text")).hasMessageContaining("NOREPLICAS");
            assertThatThrownBy(() -> delayQueue.cancel("texts", "waits")).hasMessageContaining("NOREPLICAS");
            assertThatThrownBy(() -> delayQueue.reschedule("texts", "waits", Duration.ZERO))
                    .hasMessageContaining("NOREPLICAS");
            assertThatThrownBy(() -> context.getBean(DelayQueueReceiver.class).receive("texts", 1, Duration.ZERO))
                    .hasMessageContaining("NOREPLICAS");
            assertThat(delayQueue.find("texts", "waits")).isPresent();
            awaitStatus(Status.DOWN, context);
            // another listener of the application may be the first whose failures are reported
            await().untilAsserted(() -> assertThat(problems(health(context)))
                    .anySatisfy(problem -> assertThat(problem)
                            .startsWith("Listener texts has been failing for ")
                            .contains("NOREPLICAS", "min-replicas-to-write"))
                    .anySatisfy(problem -> assertThat(problem).startsWith("Redis refuses writes: NOREPLICAS")));

            redis.command("CONFIG", "SET", "min-replicas-to-write", "0");
            awaitStatus(Status.UP, context);
            assertThat(delayQueue.cancel("texts", "waits")).isEqualTo(CancelOutcome.CANCELLED);
        });
    }

    @Test
    void evictionIsDownUnlessItIsAllowed() {
        runner.run(context -> {
            awaitStatus(Status.UP, context);
            redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
            Health health = timely(context);
            assertThat(health.getStatus()).isEqualTo(Status.DOWN);
            assertThat(problems(health))
                    .containsExactly("Redis may evict messages: its maxmemory-policy is allkeys-lru");
        });
        runner.withPropertyValues("delayqueue.redis.allow-eviction=true")
                .run(context -> awaitStatus(Status.UP, context));
    }

    @Test
    void newSampleDeterminesTheLagAndShowsUnreadableTopics() {
        AtomicLong nanos = new AtomicLong();
        try (FaultProxy network = FaultProxy.inFrontOf(redis)) {
            on(network.port())
                    .withPropertyValues(
                            "delayqueue.listener.auto-startup=false",
                            "delayqueue.metrics.sample-interval=10s",
                            "delayqueue.health.max-lag[late]=1ms")
                    .withBean(NanoTime.class, () -> nanos::get)
                    .withUserConfiguration(Sampling.class)
                    .run(context -> {
                        DelayQueueTemplate delayQueue = context.getBean(DelayQueueTemplate.class);
                        delayQueue.send("late", "text");
                        delayQueue.send("other", "text");
                        delayQueue.send("foreign", "text");
                        redis.command("HSET", meta(context, "foreign"), "identity", "2:1:1");
                        awaitStatus(Status.OUT_OF_SERVICE, context); // asked for, and late by now
                        context.getBean(TopicSampler.class).run();

                        await().untilAsserted(() -> {
                            long asked = network.traffic().requests();
                            Health health = health(context);
                            assertThat(network.traffic().requests() - asked)
                                    .as("the server, for the findings again, and the nodes")
                                    .isEqualTo(3);
                            assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
                            assertThat(problems(health)).hasSize(1);
                            assertThat(part(health, "topics")).containsOnlyKeys("late", "other");
                            assertThat(part(health, "format", "unreadable")).containsExactly(Map.entry("foreign", "2"));
                        });

                        nanos.addAndGet(Duration.ofSeconds(31).toNanos());
                        assertThat(part(timely(context), "topics")).containsOnlyKeys("late");
                    });
        }
    }

    @Test
    void newerFormatOfATopicWithAListenerIsDown() {
        runner.withPropertyValues("delayqueue.health.max-failing=1h").run(context -> {
            awaitStatus(Status.UP, context);
            String meta = meta(context, "texts");
            await().until(() -> redis.command("HGET", meta, "identity") != null);
            String identity = (String) redis.command("HGET", meta, "identity");
            redis.command("HSET", meta, "identity", identity.replaceFirst("1", "2"));

            awaitStatus(Status.DOWN, context);
            Health health = timely(context);
            assertThat(problems(health))
                    .containsExactly("Topic texts is stored in format 2, but this version reads format 1 only: upgrade"
                            + " this application");
            assertThat(part(health, "format"))
                    .containsOnly(
                            Map.entry("reads", 1),
                            Map.entry("seen", List.of("1", "2")),
                            Map.entry("unreadable", Map.of("texts", "2")));

            redis.command("HSET", meta, "identity", identity);
            awaitStatus(Status.UP, context);
            assertThat(part(health(context), "format")).doesNotContainKey("unreadable");
        });
    }

    @Test
    void indicatorIsAbsentIfItIsDisabled() {
        runner.withPropertyValues("management.health.delayqueue.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("delayqueueHealthIndicator"));
        runner.withPropertyValues("delayqueue.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("delayqueueHealthIndicator"));
    }

    @Test
    void indicatorIsAbsentWithoutHealthSupport() {
        // by name, because the classes cannot be loaded
        ApplicationContextRunner application = new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues("spring.data.redis.port=" + redis.port());
        application.run(context -> assertThat(context).hasBean("delayqueueHealthIndicator"));
        application
                .withClassLoader(
                        new FilteredClassLoader("org.springframework.boot.health", "org.springframework.boot.actuate"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasBean("delayQueueRedisCheck")
                        .doesNotHaveBean("delayqueueHealthIndicator"));
    }

    @Configuration(proxyBeanMethods = false)
    static class FailingListener {

        @DelayListener(topic = "payment", backoff = "fixed 10ms", maxAttempts = "1000")
        void charge(String text) {
            throw new IllegalStateException("the card of Jane Doe is rejected");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataRedisAutoConfiguration.class,
        DelayQueueAutoConfiguration.class,
        DelayListenerAutoConfiguration.class,
        RedisCheckAutoConfiguration.class,
        HealthAutoConfiguration.class
    })
    static class Application {}

    /** The monotonic clock of the sampler. */
    interface NanoTime extends LongSupplier {}

    @Configuration(proxyBeanMethods = false)
    static class Sampling {

        @Bean
        TopicSampler sampler(DelayQueueInspector inspector, NanoTime nanoTime) {
            return new TopicSampler(
                    inspector,
                    () -> CompletableFuture.completedFuture(List.of()),
                    Duration.ofSeconds(10),
                    InstantSource.system(),
                    nanoTime);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Listeners {

        @DelayListener(topic = "texts", id = "texts")
        void handle(String text) {}

        @DelayListener(topic = "failing", id = "failing", backoff = "fixed 50ms", maxAttempts = "1000")
        void fail(String text) {
            throw new IllegalStateException("no use for " + text);
        }
    }
}
