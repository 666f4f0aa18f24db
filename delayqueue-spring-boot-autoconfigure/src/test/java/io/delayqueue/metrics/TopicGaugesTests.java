package io.delayqueue.metrics;

import static io.delayqueue.metrics.DelayQueueMeters.CONSUMERS;
import static io.delayqueue.metrics.DelayQueueMeters.FINDINGS;
import static io.delayqueue.metrics.DelayQueueMeters.LAG;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_ACKNOWLEDGED;
import static io.delayqueue.metrics.DelayQueueMeters.REDIS_MEMORY_MAX;
import static io.delayqueue.metrics.DelayQueueMeters.REDIS_MEMORY_USED;
import static io.delayqueue.metrics.DelayQueueMeters.REDIS_REFUSING;
import static io.delayqueue.metrics.DelayQueueMeters.REDIS_REPLICAS;
import static io.delayqueue.metrics.DelayQueueMeters.REQUIRED_HANDLERS;
import static io.delayqueue.metrics.DelayQueueMeters.SAMPLE_AGE;
import static io.delayqueue.metrics.DelayQueueMeters.SCHEDULES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.OverdueSchedules;
import io.delayqueue.admin.TopicSampler;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Schedule;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.template.DelayQueueSchedules;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.LeasedDelivery;
import io.delayqueue.template.receive.ReceiveRequest;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import io.micrometer.core.instrument.Meter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;

/** The gauges of topics, with a real Redis. */
@EmbeddedRedis
class TopicGaugesTests extends MeterTest {

    private final RedisServerProcess redis;

    TopicGaugesTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    static class Listener {

        @DelayListener(topic = "listened", id = "l")
        void handle(String text) {}
    }

    private void sample() {
        sample(bean(TopicSampler.class));
    }

    private void send(String topic, String id, Duration delay) {
        delayQueue()
                .send(DelayMessage.to(topic).id(id).payload("p").delay(delay).build());
    }

    private LeasedDelivery receive(String topic) {
        return bean(DelayQueueReceiver.class)
                .receive(ReceiveRequest.from(topic)
                        .waitTime(Duration.ofSeconds(20))
                        .lease(Duration.ofMinutes(5)))
                .get(0);
    }

    private double findings(String level, String kind, String topic) {
        return value(FINDINGS, "level", level, "kind", kind, "topic", topic, "node", "none");
    }

    private boolean isFound(String kind) {
        return !registry().find(FINDINGS.getName()).tag("kind", kind).meters().isEmpty();
    }

    private double messages(String topic, String state) {
        return value(MESSAGES, "topic", topic, "state", state);
    }

    @Test
    @TestsMeters({MESSAGES, LAG})
    void messagesOfEachStateAreCountedAndTheOldestDueOneIsTheLag() {
        start(redis, SentMetersTests.NoListener.class, NO_SAMPLES);
        send("t", "dies", Duration.ZERO);
        receive("t").deadLetter("no").join();
        send("t", "leased", Duration.ZERO);
        receive("t");
        for (String id : new String[] {"a", "b", "c"}) {
            send("t", id, Duration.ofHours(1));
        }
        send("t", "ready 1", Duration.ZERO);
        send("t", "ready 2", Duration.ZERO);
        await().untilAsserted(() -> {
            sample();
            assertThat(value(LAG, "topic", "t")).isPositive();
        });

        assertThat(messages("t", "scheduled")).isEqualTo(3);
        assertThat(messages("t", "ready")).isEqualTo(2);
        assertThat(messages("t", "leased")).isEqualTo(1);
        assertThat(messages("t", "dead")).isEqualTo(1);
    }

    @Test
    @TestsMeters(MESSAGES)
    void parkedMessagesAreAStateOfOrderedTopics() {
        start(redis, SentMetersTests.NoListener.class, NO_SAMPLES, "delayqueue.topics[ordered].keys=ordered");
        send("t", "ready", Duration.ZERO);
        for (String key : new String[] {"a", "a", "a", "b"}) {
            delayQueue().send(DelayMessage.to("ordered").key(key).payload("p").build());
        }
        delayQueue()
                .send(DelayMessage.to("ordered")
                        .key("a")
                        .payload("p")
                        .delay(Duration.ofHours(1))
                        .build());
        sample();

        assertThat(messages("ordered", "parked")).isEqualTo(2);
        assertThat(messages("ordered", "ready")).isEqualTo(2);
        assertThat(messages("ordered", "scheduled")).isEqualTo(1);
        assertThat(registry()
                        .find(MESSAGES.getName())
                        .tags("topic", "t", "state", "parked")
                        .meters())
                .isEmpty();
        receive("ordered").acknowledge().join();
        receive("ordered").acknowledge().join();
        receive("ordered").acknowledge().join();
        sample();
        assertThat(messages("ordered", "parked")).isZero();
    }

    static class EachSampleSearches {

        @Bean
        OverdueSchedules overdue(TopicSampler sampler, DelayQueueSchedules schedules) {
            AtomicLong minutes = new AtomicLong();
            OverdueSchedules overdue = new OverdueSchedules(
                    schedules,
                    Runnable::run,
                    () -> Duration.ofMinutes(minutes.incrementAndGet()).toNanos());
            sampler.onSample(() -> overdue.sampled(sampler.newest()));
            return overdue;
        }
    }

    @Test
    @TestsMeters({SCHEDULES, FINDINGS})
    void schedulesAreCountedAndOverdueOnesAreAFinding() {
        start(redis, EachSampleSearches.class, NO_SAMPLES);
        DelayQueueSchedules schedules = bean(DelayQueueSchedules.class);
        send("plain", "a", Duration.ofDays(1));
        schedules.put(Schedule.of("sync", "a").every(Duration.ofDays(1)).payload("p"));
        delayQueue().reschedule("sync", "a", Duration.ZERO);
        receive("sync").deadLetter("not today").join();
        await().until(() -> schedules.find("sync", "a").orElseThrow().outcome() != null);
        sample();
        assertThat(value(SCHEDULES, "topic", "sync")).isEqualTo(1);
        assertThat(registry().find(SCHEDULES.getName()).tag("topic", "plain").meters())
                .isEmpty();
        await().untilAsserted(() -> {
            sample();
            assertThat(value(FINDINGS, "topic", "sync", "kind", "schedules")).isEqualTo(1);
        });
    }

    @Test
    @TestsMeters(REQUIRED_HANDLERS)
    void handlersAreRequiredFromTheFirstAttemptOn() {
        start(redis, Listener.class, NO_SAMPLES);
        send("listened", "later", Duration.ofHours(1));
        send("plain", "later", Duration.ofHours(1));
        sample();
        assertThat(registry().find(REQUIRED_HANDLERS.getName()).meters()).isEmpty();
        send("listened", "now", Duration.ZERO);
        await().untilAsserted(() -> {
            sample();
            assertThat(value(REQUIRED_HANDLERS, "topic", "listened")).isEqualTo(1);
        });
        assertThat(registry().find(REQUIRED_HANDLERS.getName()).meters()).hasSize(1);

        delayQueue().cancel("listened", "later");
        sample();
        assertThat(registry().get(REQUIRED_HANDLERS.getName()).gauge().value()).isZero();
    }

    @Test
    @TestsMeters({FINDINGS, CONSUMERS})
    void topicsWithMessagesButNoConsumerAreNamed() {
        start(redis, Listener.class, NO_SAMPLES);
        send("listend", "mistyped", Duration.ofHours(1));
        send("listened", "m", Duration.ofHours(1));
        send("emptied", "m", Duration.ofHours(1));
        delayQueue().cancel("emptied", "m");
        await().untilAsserted(() -> {
            sample();
            assertThat(value(CONSUMERS, "topic", "listened")).isEqualTo(1);
        });

        assertThat(value(CONSUMERS, "topic", "listend")).isZero();
        assertThat(registry()
                        .find(FINDINGS.getName())
                        .tag("kind", "no_listener")
                        .meters())
                .extracting(meter -> meter.getId().getTag("topic"))
                .containsExactly("listend");
        assertThat(findings("warning", "no_listener", "listend")).isEqualTo(1);
        assertThat(isFound("failing")).isFalse();
    }

    @Test
    @TestsMeters(FINDINGS)
    void unreadableTopicHasNoValuesAndHidesNoOther() {
        start(redis, SentMetersTests.NoListener.class, NO_SAMPLES);
        send("t", "m", Duration.ofHours(1));
        send("other", "m", Duration.ofHours(1));
        sample();
        assertThat(isFound("unknown")).isFalse();
        String schedule = new String(bean(KeySpace.class).of(Shard.single("t")).schedule(), StandardCharsets.UTF_8);
        redis.command("RENAME", schedule, "kept");
        redis.command("SET", schedule, "of another type");
        send("other", "n", Duration.ofHours(1));
        sample();

        assertThat(messages("t", "scheduled")).isNaN();
        assertThat(value(LAG, "topic", "t")).isNaN();
        assertThat(findings("critical", "unknown", "t")).isEqualTo(1);
        assertThat(messages("other", "scheduled")).isEqualTo(2);
        redis.command("RENAME", "kept", schedule);
        sample();
        assertThat(messages("t", "scheduled")).isEqualTo(1);
        assertThat(isFound("unknown")).isFalse();
    }

    @Test
    void metersOfADeletedTopicDisappear() {
        start(redis, SentMetersTests.NoListener.class, NO_SAMPLES);
        send("t", "m", Duration.ZERO);
        receive("t").acknowledge().join();
        send("other", "m", Duration.ofHours(1));
        sample();
        assertThat(metersOf("t")).isPositive();
        assertThat(messages("other", "scheduled")).isEqualTo(1);

        assertThat(bean(DelayQueueAdmin.class).deleteTopic("t")).isTrue();
        sample();

        assertThat(metersOf("t")).isZero();
        assertThat(messages("other", "scheduled")).isEqualTo(1);
        send("t", "m", Duration.ofHours(1));
        sample();
        assertThat(messages("t", "scheduled")).isEqualTo(1);
        assertThat(value(DelayQueueMeters.MESSAGES_SENT, "topic", "t")).isEqualTo(1);
    }

    @Test
    void countersOfATopicWithAListenerAreKept() {
        start(redis, Listener.class, NO_SAMPLES);
        send("listened", "m", Duration.ZERO);
        awaitValue(1, MESSAGES_ACKNOWLEDGED, "listener", "l");
        sample();
        assertThat(bean(DelayQueueAdmin.class).deleteTopic("listened")).isTrue();
        sample();

        assertThat(value(MESSAGES_ACKNOWLEDGED, "listener", "l")).isEqualTo(1);
        send("listened", "m", Duration.ZERO);
        awaitValue(2, MESSAGES_ACKNOWLEDGED, "listener", "l");
    }

    private long metersOf(String topic) {
        return registry().getMeters().stream()
                .map(Meter::getId)
                .filter(id -> topic.equals(id.getTag("topic")))
                .count();
    }

    @Test
    @TestsMeters({REDIS_MEMORY_USED, REDIS_MEMORY_MAX, REDIS_REPLICAS, REDIS_REFUSING})
    void memoryReplicasAndRefusedWritesOfRedisAreShown() {
        start(redis, SentMetersTests.NoListener.class, NO_SAMPLES);
        sample();
        assertThat(value(REDIS_MEMORY_USED, "server", "none")).isGreaterThan(100_000);
        assertThat(value(REDIS_MEMORY_MAX, "server", "none")).isZero();
        assertThat(value(REDIS_REPLICAS, "server", "none")).isZero();
        assertThat(value(REDIS_REFUSING, "server", "none")).isZero();
        try (RedisServerProcess replica = RedisServerProcess.builder()
                .setting("replicaof", redis.host(), Integer.toString(redis.port()))
                .start()) {
            assertThat(replica.port()).isPositive();
            await().untilAsserted(() -> {
                sample();
                assertThat(value(REDIS_REPLICAS, "server", "none")).isEqualTo(1);
            });
        }
        redis.command("CONFIG", "SET", "maxmemory", "1");
        try {
            sample();
            assertThat(value(REDIS_MEMORY_MAX, "server", "none")).isEqualTo(1);
            assertThat(value(REDIS_REFUSING, "server", "none")).isEqualTo(1);
            assertThat(findings("critical", "redis", "none")).isEqualTo(1);
        } finally {
            redis.command("CONFIG", "SET", "maxmemory", "0");
        }
        sample();
        assertThat(value(REDIS_REFUSING, "server", "none")).isZero();
        assertThat(isFound("redis")).isFalse();
    }

    @Test
    @TestsMeters(SAMPLE_AGE)
    void ageCountsFromTheStartWithoutASample() {
        start(1, SentMetersTests.NoListener.class);

        assertThat(registry().find(FINDINGS.getName()).meters()).isEmpty();
        await().until(() -> value(SAMPLE_AGE) > 0);
        assertThat(registry().find(MESSAGES.getName()).meters()).isEmpty();
    }
}
