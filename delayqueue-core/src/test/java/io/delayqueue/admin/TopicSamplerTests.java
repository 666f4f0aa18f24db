package io.delayqueue.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.coordination.Membership;
import io.delayqueue.coordination.NodeReport;
import io.delayqueue.coordination.ReceivedLeases;
import io.delayqueue.coordination.ThroughputReporter;
import io.delayqueue.event.Recipient;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.listener.ListenerStatusBuilder;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.QueueKind;
import io.delayqueue.template.DelayQueueUnavailableException;
import io.delayqueue.template.RedisTest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Samples are kept in memory, and say how old they are. */
class TopicSamplerTests extends RedisTest {

    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private TopicSampler sampler;
    private Instant now = Instant.parse("2026-11-01T00:00:00Z");
    private long nanos = Long.MAX_VALUE - 5;

    @BeforeEach
    void assemble() {
        sampler = new TopicSampler(
                queue.inspector(),
                () -> CompletableFuture.completedFuture(List.of()),
                INTERVAL,
                () -> now,
                () -> nanos);
    }

    private void send(String topic) {
        queue.template().send(DelayMessage.to(topic).payload("p").build());
    }

    private void pass(Duration time) {
        now = now.plus(time);
        nanos += time.toNanos();
    }

    private static List<Long> ready(List<TopicSample> samples) {
        return samples.stream().map(sample -> sample.counts().ready()).toList();
    }

    @Test
    void eachTaskSamplesAllTopics() {
        send("b");
        assertThat(sampler.run()).isEqualTo(INTERVAL);
        pass(INTERVAL);
        send("a");
        send("b");
        sampler.run();
        assertThat(sampler.newest()).extracting(TopicStatus::topic).containsExactly("a", "b");
        assertThat(ready(sampler.history("b"))).containsExactly(1L, 2L);
        assertThat(ready(sampler.history("a"))).containsExactly(1L);
        assertThat(sampler.history("b")).extracting(TopicSample::at).containsExactly(now.minus(INTERVAL), now);
        assertThat(sampler.age()).contains(Duration.ZERO);
    }

    @Test
    void samplesKeepTheFailuresOfAllNodes() {
        send("a");
        heartbeat("n1", "a", 2);
        heartbeat("n2", "a", 3);
        heartbeat("n3", "b", 7);
        sampler.run();
        heartbeat("n2", "a", 0);
        sampler.run();
        assertThat(sampler.history("a")).extracting(TopicSample::failed).containsExactly(5L, 2L);
    }

    @Test
    void samplesKeepTheThroughputOfAllProcesses() {
        send("a");
        heartbeat("n1", "a", 2);
        heartbeat("n2", "a", 3);
        ThroughputReporter sender =
                new ThroughputReporter(queue.scripts, queue.keySpace, "p", ReceivedLeases.NONE, () -> nanos);
        sender.sent("a", 7);
        sender.acknowledged(new Recipient("a", QueueKind.MESSAGES, null), "id", 1, Duration.ZERO, Duration.ZERO);
        pass(INTERVAL);
        sender.run();
        sampler.run();
        assertThat(sampler.newest("a")).hasValueSatisfying(sample -> {
            assertThat(sample.sent()).isEqualTo(7);
            assertThat(sample.handled()).isEqualTo(4 + 2 + 4 + 3 + 1);
        });
        assertThat(sampler.newest("b")).isEmpty();
    }

    private void heartbeat(String node, String topic, long failed) {
        Attempts attempts = new Attempts(4, failed, 0, Duration.ZERO, null, Duration.ZERO, null);
        ListenerStatus listener =
                ListenerStatusBuilder.listener("l", topic).attempts(attempts).build();
        NodeReport report = new NodeReport("", 1, now, List.of(listener), null);
        new Membership(
                        queue.scripts,
                        queue.keySpace,
                        node,
                        INTERVAL,
                        Duration.ofSeconds(15),
                        () -> nanos,
                        () -> report,
                        () -> {})
                .run();
    }

    @Test
    void openPagesReadTopicsAtALimitedRate() {
        for (int topic = 0; topic < 20; topic++) {
            send("t" + topic);
        }
        assertThat(sampler.recent()).hasSize(20);
        send("another");
        for (int call = 0; call < 10; call++) {
            pass(Duration.ofMillis(299));
            assertThat(sampler.recent()).hasSize(20);
        }
        pass(Duration.ofMillis(10));
        assertThat(sampler.recent()).hasSize(21);
    }

    @Test
    void theLastSixtyAreKept() {
        send("a");
        for (int i = 0; i < 70; i++) {
            sampler.run();
            pass(INTERVAL);
        }
        assertThat(sampler.history("a")).hasSize(60);
        assertThat(sampler.history("a").get(59).at()).isEqualTo(now.minus(INTERVAL));
        assertThat(sampler.history("a").get(0).at()).isEqualTo(now.minus(INTERVAL.multipliedBy(60)));
    }

    @Test
    void aSampleThatFailsLeavesTheOldOnesAndTheyAge() {
        send("a");
        sampler.run();
        queue.faults.refuse();
        pass(INTERVAL);
        assertThatThrownBy(sampler::run).isInstanceOf(DelayQueueUnavailableException.class);
        assertThat(sampler.newest()).hasSize(1);
        assertThat(sampler.history("a")).hasSize(1);
        assertThat(sampler.age()).contains(INTERVAL);
        assertThat(sampler.history("a").get(0).at()).isEqualTo(now.minus(INTERVAL));
    }

    @Test
    void intervalsOutOfRangeAreRejected() {
        TopicSampler.checkInterval(Duration.ofSeconds(1));
        TopicSampler.checkInterval(Duration.ofMinutes(10));
        assertThatThrownBy(() -> TopicSampler.checkInterval(Duration.ofMillis(999)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("sampleInterval");
        assertThatThrownBy(() -> TopicSampler.checkInterval(Duration.ofMinutes(11)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
