package io.delayqueue.autoconfigure;

import static io.delayqueue.autoconfigure.QueueContexts.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.annotation.DefaultDelayListenerContainerFactory;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.annotation.DelayListenerContainerFactory;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.container.EngineSettings;
import io.delayqueue.listener.Backoff;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.listener.RetryDecision;
import io.delayqueue.listener.RetryPolicy;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.message.TopicLimits.Rate;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.QueueConnections;
import io.delayqueue.store.CrashLimits;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.ShardPlan.OnConflict;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.SendLimits;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.ReceiveSettings;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Each property configures its bean. These tests do not call Redis. */
class DelayQueuePropertiesTests {

    private static final String BATCH_ID = "batch";

    private final ApplicationContextRunner runner = QueueContexts.withoutRedis()
            .withPropertyValues("delayqueue.listener.auto-startup=false")
            .withUserConfiguration(Listeners.class);

    @Test
    void defaultsAreTheBuiltInValues() {
        new ApplicationContextRunner()
                .withUserConfiguration(OnlyProperties.class)
                .run(context -> assertThat(
                                context.getBean(DelayQueueProperties.class).namespace())
                        .isEqualTo("dq"));
        runner.run(context -> {
            assertThat(context.getBean(TopicRegistry.class).plan()).isEqualTo(ShardPlan.NONE);
            assertThat(options(context, "plain")).isEqualTo(ListenerOptions.DEFAULTS);
            assertThat(options(context, BATCH_ID).batchSize()).isEqualTo(100);
            assertThat(part(context.getBean(DelayQueueEngine.class), "settings"))
                    .isEqualTo(EngineSettings.DEFAULTS);
            assertThat(part(context.getBean(QueueConnections.class), "settings"))
                    .isEqualTo(QueueConnections.Settings.defaults());
            assertThat(context.getBean(DelayQueueProperties.class).limits().toLimits())
                    .isEqualTo(SendLimits.DEFAULTS);
        });
    }

    @Test
    void disabledQueueHasNoBeans() {
        QueueContexts.withoutRedis()
                .withPropertyValues("delayqueue.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(DelayQueueOperations.class)
                        .doesNotHaveBean(DelayQueueEngine.class)
                        .doesNotHaveBean(DelayListenerRegistry.class)
                        .doesNotHaveBean(DelayQueueProperties.class)
                        .doesNotHaveBean("delayQueuePayloadConverter"));
    }

    @Test
    void eachPropertyAppliesToItsBean() {
        runner.withPropertyValues(
                        "delayqueue.namespace=shop",
                        "delayqueue.limits.max-payload-size=10B",
                        "delayqueue.limits.max-headers-size=5B",
                        "delayqueue.limits.max-delay=1h",
                        "delayqueue.limits.max-batch-elements=7",
                        "delayqueue.limits.max-batch-size=3KB",
                        "delayqueue.limits.after-commit-timeout=123ms",
                        "delayqueue.engine.task-threads=3",
                        "delayqueue.engine.sweep=9s",
                        "delayqueue.engine.unconfirmed-sweep=2s",
                        "delayqueue.engine.heartbeat=4s",
                        "delayqueue.engine.heartbeat-timeout=11s",
                        "delayqueue.engine.linger=7ms",
                        "delayqueue.engine.confirm-after=800ms",
                        "delayqueue.engine.isolate-after-crashes=4",
                        "delayqueue.engine.crash-limit=5",
                        "delayqueue.engine.slow-if-failing-alone=false",
                        "delayqueue.dead-letters.max-age=5d",
                        "delayqueue.dead-letters.max-count=77",
                        "delayqueue.dead-letters.max-size=3KB",
                        "delayqueue.dead-letters.prune-interval=6m",
                        "delayqueue.redis.command-timeout=2s",
                        "delayqueue.redis.reconnect-delay=300ms",
                        "delayqueue.topics.orders.shards=16",
                        "delayqueue.topics[order.cancel].shards=3",
                        "delayqueue.topics.plain.concurrency=2",
                        "delayqueue.topics[bulk].concurrency=3",
                        "delayqueue.shards.on-conflict=follow",
                        "delayqueue.listener.backoff=ownPolicy")
                .run(context -> {
                    assertThat(context.getBean(KeySpace.class).namespace()).isEqualTo("shop");
                    assertThat(part(context.getBean(DelayQueueTemplate.class), "limits"))
                            .isEqualTo(new SendLimits(10, 5, Duration.ofHours(1), 7, 3 * 1024));
                    assertThat(part(context.getBean(DelayQueueTemplate.class), "commits.timeout"))
                            .isEqualTo(Duration.ofMillis(123));
                    assertThat(part(context.getBean(DelayQueueEngine.class), "settings"))
                            .isEqualTo(new EngineSettings(
                                    3,
                                    Duration.ofSeconds(9),
                                    Duration.ofSeconds(2),
                                    Duration.ofSeconds(4),
                                    Duration.ofSeconds(11),
                                    Duration.ofMillis(7),
                                    Duration.ofMillis(800),
                                    new CrashLimits(4, 5),
                                    false,
                                    Duration.ofMinutes(6),
                                    Duration.ofDays(5),
                                    77,
                                    3 * 1024));
                    assertThat(part(context.getBean(QueueConnections.class), "settings"))
                            .isEqualTo(new QueueConnections.Settings(Duration.ofSeconds(2), Duration.ofMillis(300)));
                    assertThat(context.getBean(TopicRegistry.class).plan())
                            .isEqualTo(new ShardPlan(Map.of("orders", 16, "order.cancel", 3), OnConflict.FOLLOW));
                    assertThat(options(context, "bulk").concurrency())
                            .as("options of a container factory precede properties")
                            .isEqualTo(50);
                    assertThat(options(context, "plain").retryPolicy())
                            .as("a back-off may name a bean")
                            .isSameAs(context.getBean("ownPolicy"));
                    assertThat(context.getBean(DelayListenerRegistry.class).getContainers())
                            .as("delayqueue.listener.auto-startup is false")
                            .isNotEmpty()
                            .noneMatch(ManagedListener::isRunning);
                });
    }

    @Test
    void limitsOfTopicsAreDeclared() {
        runner.withPropertyValues(
                        "delayqueue.topics[sms].max-concurrent=3",
                        "delayqueue.topics[sms].rate=100/1m",
                        "delayqueue.topics[sms].rate-burst=10",
                        "delayqueue.topics[sms].max-messages=1000000",
                        "delayqueue.topics[other].concurrency=2")
                .run(context -> assertThat(context.getBean(TopicRegistry.class).declared())
                        .isEqualTo(Map.of(
                                "sms", new TopicLimits(3, new Rate(100, Duration.ofMinutes(1), 10), 1_000_000L))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "max-concurrent | 0      | max-concurrent must be from 1 to 1000000, but was 0.",
                "rate           | 100    | rate must be a count and a period, such as 100/1m, but was '100'.",
                "rate           | 100/60 | rate is '100/60', but '60' has no unit: write 60s or 60ms.",
                "rate-burst     | 5      | rate-burst must not be set without a rate.",
                "max-concurrent-per-key | 1001 | max-concurrent-per-key must be from 1 to 1000, but was 1001.",
                "max-messages   | 0      | max-messages must be from 1 to 1000000000000, but was 0."
            })
    void invalidLimitFailsTheStart(String key, String value, String problem) {
        assertThatThrownBy(() -> bind(Map.of("delayqueue.topics[sms]." + key, value)))
                .hasStackTraceContaining("delayqueue.topics[sms]." + problem);
    }

    @Test
    void aLimitOfATopicWithSeveralShardsFailsTheStart() {
        assertThatThrownBy(() -> bind(
                        Map.of("delayqueue.topics[sms].max-concurrent", "3", "delayqueue.topics[sms].shards", "2")))
                .hasStackTraceContaining("delayqueue.topics[sms].shards is 2, but must be 1, because a topic with"
                        + " limits has one shard.");
    }

    @Test
    void aLimitForEachKeyOfATopicThatIsNotFairFailsTheStart() {
        assertThatThrownBy(() -> bind(Map.of(
                        "delayqueue.topics[mail].max-concurrent-per-key", "2",
                        "delayqueue.topics[mail].keys", "ordered")))
                .hasStackTraceContaining(
                        "delayqueue.topics[mail].keys is ordered, but must be fair, because the topic has"
                                + " max-concurrent-per-key.");
        bind(Map.of(
                "delayqueue.topics[mail].max-concurrent-per-key", "2",
                "delayqueue.topics[mail].keys", "fair"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"999ms", "25h"})
    void latenessOutOfRangeFailsTheStart(String lateness) {
        assertThatThrownBy(() -> bind(Map.of("delayqueue.topics[sms].max-lateness", lateness)))
                .hasStackTraceContaining("delayqueue.topics[sms].max-lateness must be from 1 s to 1 d");
    }

    @Test
    void latenessOfATopicIsAMinuteByDefault() {
        DelayQueueProperties properties = new Binder(new MapConfigurationPropertySource(
                        Map.of("delayqueue.topics[a].name", "sms", "delayqueue.topics[a].max-lateness", "2h")))
                .bind("delayqueue", DelayQueueProperties.class)
                .get();
        assertThat(properties.toMaxLateness().apply("sms")).isEqualTo(Duration.ofHours(2));
        assertThat(properties.toMaxLateness().apply("mail")).isEqualTo(Duration.ofMinutes(1));
    }

    private static void bind(Map<String, String> properties) {
        new Binder(new MapConfigurationPropertySource(properties)).bind("delayqueue", DelayQueueProperties.class);
    }

    @Test
    void receiverUsesTheOptionsOfListeners() {
        runner.withPropertyValues(
                        "delayqueue.engine.sweep=9s",
                        "delayqueue.engine.unconfirmed-sweep=2s",
                        "delayqueue.listener.max-attempts=3",
                        "delayqueue.listener.max-postponements=4",
                        "delayqueue.listener.lease=60s")
                .run(context -> assertThat(part(context.getBean(DelayQueueReceiver.class), "context.settings"))
                        .isEqualTo(new ReceiveSettings(
                                Duration.ofSeconds(9),
                                Duration.ofSeconds(2),
                                3,
                                4,
                                CrashLimits.DEFAULTS,
                                Duration.ofSeconds(20))));
    }

    @Test
    void receiverLeasesForTheTimeOfTheTopicsListeners() {
        runner.withPropertyValues("delayqueue.listener.lease=10m", "delayqueue.topics[long].lease=1h")
                .run(context -> {
                    @SuppressWarnings("unchecked")
                    Function<String, Duration> lease =
                            (Function<String, Duration>) part(context.getBean(DelayQueueReceiver.class), "lease");
                    assertThat(lease.apply("long")).isEqualTo(Duration.ofHours(1));
                    assertThat(lease.apply("other")).isEqualTo(Duration.ofMinutes(10));
                });
    }

    @Test
    void listenerPropertiesApplyToListeners() {
        runner.withPropertyValues(each("delayqueue.listener")).run(context -> {
            assertThat(options(context, "plain")).isEqualTo(expected(1));
            assertThat(options(context, BATCH_ID)).isEqualTo(expected(50));
        });
    }

    @Test
    void batchSizeOfOneIsOne() {
        runner.withPropertyValues("delayqueue.topics[batch].batch-size=1")
                .run(context ->
                        assertThat(options(context, BATCH_ID).batchSize()).isEqualTo(1));
    }

    @Test
    void topicPropertiesApplyToListenersOfTheTopicOnly() {
        runner.withPropertyValues(each("delayqueue.topics[order.cancel]")).run(context -> {
            assertThat(options(context, "plain")).isEqualTo(ListenerOptions.DEFAULTS);
            assertThat(options(context, "dotted")).isEqualTo(expected(1));
        });
    }

    @Test
    void annotationPrecedesTopicPrecedesListenerPrecedesDefault() {
        runner.withPropertyValues(
                        "delayqueue.listener.concurrency=2",
                        "delayqueue.listener.max-attempts=2",
                        "delayqueue.listener.prefetch=2",
                        "delayqueue.topics[levels].concurrency=3",
                        "delayqueue.topics[levels].max-attempts=3")
                .run(context -> {
                    ListenerOptions options = options(context, "levels");
                    assertThat(options.concurrency()).as("annotation").isEqualTo(4);
                    assertThat(options.maxAttempts()).as("topic").isEqualTo(3);
                    assertThat(options.prefetch()).as("listener").isEqualTo(2);
                    assertThat(options.lease()).as("built-in").isEqualTo(ListenerOptions.DEFAULTS.lease());
                });
    }

    private static String[] each(String prefix) {
        return List.of(
                        "concurrency=3",
                        "batch-size=50",
                        "lease=20s",
                        "max-attempts=4",
                        "max-postponements=6",
                        "backoff=0s,2m,10m",
                        "not-retryable=java.io.IOException,java.lang.IllegalStateException",
                        "unavailable-on=java.net.ConnectException",
                        "handling-time=5m",
                        "prefetch=17",
                        "prefetch-time=3s",
                        "drain-time=2s")
                .stream()
                .map(property -> prefix + "." + property)
                .toArray(String[]::new);
    }

    private static ListenerOptions expected(int batchSize) {
        return new ListenerOptions(
                3,
                batchSize,
                Duration.ofSeconds(20),
                4,
                6,
                new Backoff.Intervals(List.of(Duration.ZERO, Duration.ofMinutes(2), Duration.ofMinutes(10))),
                List.of(IOException.class, IllegalStateException.class),
                List.of(ConnectException.class),
                Duration.ofMinutes(5),
                17,
                Duration.ofSeconds(3),
                Duration.ofSeconds(2));
    }

    private static Object part(Object bean, String path) {
        return new DirectFieldAccessor(bean).getPropertyValue(path);
    }

    @Configuration(proxyBeanMethods = false)
    static class Listeners {

        @DelayListener(topic = "plain", id = "plain")
        void plain(String text) {}

        @DelayListener(topic = "batch", id = BATCH_ID)
        void batch(List<String> texts) {}

        @DelayListener(topic = "order.cancel", id = "dotted")
        void dotted(String text) {}

        @DelayListener(topic = "levels", id = "levels", concurrency = "4")
        void levels(String text) {}

        @DelayListener(topic = "bulk", id = "bulk", containerFactory = "bulkFactory")
        void bulk(String text) {}

        @Bean
        DelayListenerContainerFactory bulkFactory(DefaultDelayListenerContainerFactory delayListenerContainerFactory) {
            return delayListenerContainerFactory.withOptions(options -> options.concurrency(50));
        }

        @Bean
        RetryPolicy ownPolicy() {
            return attempt -> new RetryDecision.ToDeadLetters();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(DelayQueueProperties.class)
    static class OnlyProperties {}
}
