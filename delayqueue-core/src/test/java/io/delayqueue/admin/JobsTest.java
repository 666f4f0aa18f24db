package io.delayqueue.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.QueueNode;
import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.EventBus;
import io.delayqueue.message.DeadLetterKind;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.redis.Await;
import io.delayqueue.store.script.MessageMover;
import io.delayqueue.store.script.ShardReader;
import io.delayqueue.template.RedisTest;
import io.delayqueue.template.SendLimits;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;

/** Nodes that run jobs on one Redis. */
abstract class JobsTest extends RedisTest {

    static final Duration LATER = Duration.ofHours(1);
    static final DeadLetterKind REFUSED = new DeadLetterKind("REQUESTED", "requested", "connection to ? refused");

    final List<QueueNode> nodes = new CopyOnWriteArrayList<>();
    final List<String> audit = new CopyOnWriteArrayList<>();
    final Set<String> replayed = new ConcurrentSkipListSet<>();
    private final List<String> replayedAgain = new CopyOnWriteArrayList<>();

    final DelayQueueEvents events = new DelayQueueEvents() {
        @Override
        public void administered(String by, String action, String topic, long count) {
            audit.add(by + ": " + action + ", " + topic + ", " + count);
        }

        @Override
        public void replayed(String topic, String deadLetterId) {
            if (!replayed.add(deadLetterId)) {
                replayedAgain.add(deadLetterId);
            }
        }
    };

    @Override
    protected Duration commandTimeout() {
        return Duration.ofSeconds(20);
    }

    /** A node with the jobs that it runs. */
    record JobNode(QueueNode node, ShardReader reader, DelayQueueJobs jobs) {

        JobWork work(EventBus bus) {
            return new JobWork(
                    node.store,
                    new MessageMover(node.scripts, node.keySpace, node.registry),
                    reader,
                    node.registry,
                    node.directory,
                    bus);
        }
    }

    JobNode node(int shards) {
        return node(shards, UnaryOperator.identity());
    }

    JobNode node(int shards, UnaryOperator<QueueNode.Builder> change) {
        QueueNode node =
                change.apply(QueueNode.on(server.port()).shards("t", shards)).start();
        nodes.add(node);
        ShardReader reader = new ShardReader(node.scripts, node.keySpace, node.registry);
        return new JobNode(
                node,
                reader,
                new DelayQueueJobs(
                        node.scripts,
                        node.keySpace,
                        node.store,
                        reader,
                        node.registry,
                        node.directory,
                        node.engine,
                        new EventBus(List.of(events)),
                        SendLimits.DEFAULTS,
                        InstantSource.system()));
    }

    @AfterEach
    void stopNodes() {
        nodes.forEach(QueueNode::close);
        assertThat(replayedAgain).isEmpty();
    }

    static void send(JobNode node, String prefix, int count, Duration delay) {
        node.node()
                .template
                .sendAll(IntStream.range(0, count)
                        .mapToObj(i -> DelayMessage.to("t")
                                .id(prefix + i)
                                .payload("p" + i)
                                .delay(delay)
                                .build())
                        .toList());
    }

    void deadLetters(JobNode node, int count, IntFunction<String> reason) {
        for (int sent = 0; sent < count; sent += 500) {
            send(node, "m" + sent + ".", Math.min(500, count - sent), Duration.ZERO);
        }
        queue.deadLetterAll("t", reason);
    }

    static String everyEleventh(int i) {
        return i % 11 == 0 ? "no such order " + i : "connection to host" + i % 3 + " refused";
    }

    static Job ended(JobNode node, Job job) {
        return await().until(() -> node.jobs().job(job.id()).orElseThrow(), found -> !found.isActive());
    }

    TopicCounts counts(JobNode node) {
        return Await.result(DelayQueueInspector.count(node.node().store, node.node().registry, "t"));
    }

    List<MessageSnapshot> messages(JobNode node, String topic) {
        List<MessageSnapshot> found = new ArrayList<>();
        MessagePages pages = new MessagePages(node.reader());
        for (MessageView view : List.of(MessageView.SCHEDULED, MessageView.READY)) {
            found.addAll(pages.read(node.node().registry.shards(topic).join(), view, null, 500)
                    .messages());
        }
        return found;
    }
}
