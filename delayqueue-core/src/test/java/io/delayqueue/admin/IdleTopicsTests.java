package io.delayqueue.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.coordination.Membership;
import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.coordination.NodeReport;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.ShardReader;
import io.delayqueue.store.script.TopicDeletion;
import io.delayqueue.store.script.TopicLimiter;
import io.delayqueue.template.RedisTest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What is idle and empty is deleted. */
@ExtendWith(OutputCaptureExtension.class)
class IdleTopicsTests extends RedisTest {

    private static final Duration INTERVAL = Duration.ofMinutes(10);
    private static final Duration AFTER = Duration.ofHours(1);

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private NodeDirectory nodes;
    private TopicSampler sampler;
    private boolean rejecting;
    private long nanos = Long.MAX_VALUE - 5;

    @Override
    protected ShardPlan plan() {
        return new ShardPlan(Map.of("wide", 2), ShardPlan.OnConflict.FAIL);
    }

    @BeforeEach
    void assemble() {
        nodes = new NodeDirectory(queue.scripts, queue.keySpace, Duration.ofSeconds(15));
        sampler = sampler(AFTER);
    }

    private TopicSampler sampler(Duration after) {
        TopicSampler assembled = new TopicSampler(
                new DelayQueueInspector(
                        queue.store, new ShardReader(queue.scripts, queue.keySpace, queue.topics), queue.topics, nodes),
                () -> CompletableFuture.completedFuture(List.of()),
                INTERVAL,
                InstantSource.system(),
                () -> nanos);
        IdleTopics idle = new IdleTopics(
                new TopicDeletion(queue.scripts, queue.keySpace, queue.topics),
                queue.topics,
                nodes,
                after,
                this::execute,
                () -> nanos);
        assembled.onSample(() -> idle.sampled(assembled.newest()));
        return assembled;
    }

    private void execute(Runnable task) {
        if (rejecting) {
            throw new RejectedExecutionException("closed");
        }
        tasks.add(task);
    }

    private void runTasks() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    private void send(String topic, String id) {
        queue.template().send(DelayMessage.to(topic).id(id).payload("p").build());
    }

    private void leaveEmpty(String topic) {
        send(topic, "a");
        queue.template().cancel(topic, "a");
    }

    private List<String> keysOf(String topic) {
        return ((List<?>) server.command("KEYS", "*"))
                .stream()
                        .map(String::valueOf)
                        .filter(key -> key.contains(topic))
                        .toList();
    }

    /** Samples for so long, the first and the last moment included. */
    private void sampleFor(Duration time) {
        sampler.run();
        for (long i = 0; i < time.dividedBy(INTERVAL); i++) {
            nanos += INTERVAL.toNanos();
            sampler.run();
        }
    }

    @Test
    void anIdleTopicIsDeletedWhenTheTimeIsOver(CapturedOutput output) {
        leaveEmpty("a\nb");
        sampleFor(AFTER.minus(INTERVAL));
        assertThat(tasks).isEmpty();
        nanos += INTERVAL.toNanos();
        sampler.run();
        runTasks();

        assertThat(queue.topics.topics().join()).isEmpty();
        assertThat(output.getAll())
                .contains("Topic a\\nb was deleted, since it was empty and had no consumers for 1 h");
        // but for what remembers the deletion, and sends
        assertThat(keysOf("a\nb")).allMatch(key -> key.matches("(?s).*(ended|sent|sent\\.until)"));
        assertThat(keysOf("a\nb")).allMatch(key -> (Long) server.command("PTTL", key) > 0);
        sampler.run();
        assertThat(sampler.newest()).isEmpty();
        assertThat(sampler.history("a\nb")).isEmpty();
    }

    @Test
    void topicsInUseStay() {
        send("holds a message", "a");
        send("holds a dead letter", "a");
        queue.deadLetterAll("holds a dead letter", i -> "no use");
        leaveEmpty("consumed");
        leaveEmpty("dead letters consumed");
        Membership node = new Membership(
                queue.scripts,
                queue.keySpace,
                "node",
                Duration.ofSeconds(5),
                Duration.ofSeconds(15),
                System::nanoTime,
                () -> NodeReport.UNKNOWN,
                () -> {});
        node.addConsumer(Shard.single("consumed"));
        node.addConsumer(Shard.single("dead letters consumed").notifications());
        node.run();
        leaveEmpty("wide");
        leaveEmpty("paused");
        nodes.pause("paused", null, null, "");
        leaveEmpty("limited");
        new TopicLimiter(queue.scripts, queue.keySpace, queue.topics)
                .set("limited", new TopicLimits(1, null, null))
                .join();

        sampleFor(AFTER.multipliedBy(2));

        runTasks();
        assertThat(queue.topics.topics().join()).hasSize(7);
    }

    @Test
    void aTopicThatWasUsedInBetweenIsIdleFromThenOn() {
        leaveEmpty("a");
        sampleFor(AFTER.minus(INTERVAL));
        send("a", "b");
        nanos += INTERVAL.toNanos();
        sampler.run();
        queue.template().cancel("a", "b");
        sampleFor(AFTER.minus(INTERVAL));
        assertThat(tasks).isEmpty();
    }

    @Test
    void aMessageThatIsSentAfterTheSampleIsKept() {
        leaveEmpty("a");
        sampleFor(AFTER);
        send("a", "late");
        assertThat(tasks).hasSize(1);
        runTasks();
        assertThat(queue.template().find("a", "late")).isPresent();
        assertThat(queue.topics.topics().join()).containsExactly("a");
    }

    @Test
    void notAllAreDeletedAtOnceAndNoneTwice() {
        for (int i = 0; i < IdleTopics.MAX_AT_ONCE + 1; i++) {
            leaveEmpty("t" + i);
        }
        sampleFor(AFTER);
        sampler.run();
        assertThat(tasks).hasSize(1);
        runTasks();
        assertThat(queue.topics.topics().join()).hasSize(1);
        sampler.run();
        runTasks();
        assertThat(queue.topics.topics().join()).isEmpty();
    }

    @Test
    void whatFailsIsTriedAgainAfterTheNextSample() {
        leaveEmpty("a");
        rejecting = true;
        sampleFor(AFTER);
        rejecting = false;
        sampler.run();
        queue.faults.refuse();
        runTasks();
        queue.faults.pass();
        sampler.run();
        runTasks();
        assertThat(queue.topics.topics().join()).isEmpty();
    }

    @Test
    void zeroIsNever() {
        sampler = sampler(Duration.ZERO);
        leaveEmpty("a");
        sampleFor(AFTER.multipliedBy(2));
        assertThat(tasks).isEmpty();
    }

    @Test
    void timesOutOfRangeAreRejected() {
        IdleTopics.checkAfter(Duration.ZERO);
        IdleTopics.checkAfter(Duration.ofSeconds(1));
        IdleTopics.checkAfter(Duration.ofDays(365));
        assertThatThrownBy(() -> IdleTopics.checkAfter(Duration.ofMillis(999)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("forgetTopicsAfter");
        assertThatThrownBy(() -> IdleTopics.checkAfter(Duration.ofDays(366)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> IdleTopics.checkAfter(Duration.ofSeconds(-5)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
