package io.delayqueue.metrics;

import static io.delayqueue.metrics.DelayQueueMeters.CONSUMERS;
import static io.delayqueue.metrics.DelayQueueMeters.LAG;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_ACKNOWLEDGED;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_SENT;
import static io.delayqueue.metrics.DelayQueueMeters.PERMITS_MAX;
import static io.delayqueue.metrics.EventMeters.OTHER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.TopicSampler;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A limited number of topics has meters of their own. */
@EmbeddedRedis
class TopicLimitTests extends MeterTest {

    private final RedisServerProcess redis;

    TopicLimitTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    static class Listeners {

        @DelayListener(topic = "a", id = "one", concurrency = "3")
        void one(String text) {}

        @DelayListener(topic = "b", id = "two", concurrency = "4")
        void two(String text) {}

        @DelayListener(topic = "c", id = "three", concurrency = "5")
        void three(String text) {}
    }

    private void sample() {
        sample(bean(TopicSampler.class));
    }

    private void limit(Class<?> listeners, int maxTopics) {
        start(redis, listeners, NO_SAMPLES, "delayqueue.metrics.max-topics=" + maxTopics);
    }

    private void send(String... topics) {
        for (String topic : topics) {
            delayQueue().send(topic, "text", Duration.ofHours(1));
        }
    }

    private Set<String> tags() {
        return registry().getMeters().stream()
                .map(meter -> meter.getId().getTag("topic"))
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
    }

    @Test
    void topicsBeyondTheLimitShareMeters() {
        limit(SentMetersTests.NoListener.class, 2);
        send("a", "b", "c", "c", "d");
        delayQueue().send("e", "due");
        await().untilAsserted(() -> {
            sample();
            assertThat(value(LAG, "topic", OTHER)).isPositive();
        });

        assertThat(tags()).containsExactlyInAnyOrder("a", "b", OTHER);
        assertThat(value(MESSAGES_SENT, "topic", "a")).isEqualTo(1);
        assertThat(value(MESSAGES_SENT, "topic", OTHER)).isEqualTo(4);
        assertThat(value(MESSAGES, "topic", OTHER, "state", "scheduled")).isEqualTo(3);
        assertThat(value(LAG, "topic", "a")).isZero();
    }

    @Test
    void listenersOfTopicsBeyondTheLimitShareMeters() {
        limit(Listeners.class, 1);
        Set<String> own = tags();
        own.remove(OTHER);
        assertThat(own).hasSize(1);
        for (String topic : new String[] {"a", "b", "c"}) {
            delayQueue().send(topic, "text");
        }
        awaitValue(1, MESSAGES_ACKNOWLEDGED, "topic", own.iterator().next());
        awaitValue(2, MESSAGES_ACKNOWLEDGED, "topic", OTHER, "listener", OTHER);
        await().untilAsserted(() -> {
            sample();
            assertThat(value(CONSUMERS, "topic", OTHER)).isEqualTo(1);
        });

        assertThat(value(PERMITS_MAX)).isEqualTo(12);
        assertThat(registry().find(PERMITS_MAX.getName()).meters()).hasSize(2);
    }

    @Test
    void topicGetsMetersOfItsOwnAfterAnotherIsDeleted() {
        limit(SentMetersTests.NoListener.class, 1);
        String id = delayQueue().send("a", "text", Duration.ofHours(1)).id();
        send("b");
        sample();
        assertThat(tags()).containsExactlyInAnyOrder("a", OTHER);
        delayQueue().cancel("a", id);
        assertThat(bean(DelayQueueAdmin.class).deleteTopic("a")).isTrue();
        sample();

        assertThat(value(MESSAGES, "topic", "b", "state", "scheduled")).isEqualTo(1);
        assertThat(registry().find(MESSAGES.getName()).tag("topic", OTHER).meters())
                .isEmpty();
        send("b");
        assertThat(value(MESSAGES_SENT, "topic", "b")).isEqualTo(1);
        assertThat(value(MESSAGES_SENT, "topic", OTHER)).isEqualTo(1);
    }

    @Test
    void allTopicsShareMetersIfTheLimitIsZero() {
        limit(Listeners.class, 0);
        send("a", "d");
        sample();

        assertThat(tags()).containsExactly(OTHER);
        assertThat(value(MESSAGES, "state", "scheduled")).isEqualTo(2);
    }
}
