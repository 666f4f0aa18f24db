package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Messages are never early. They are handled at once by signals, and within a sweep interval without. */
class WakeUpTests extends NodeTest {

    private static final Duration FAR = Duration.ofMinutes(10);

    WakeUpTests(RedisServerProcess redis) {
        super(redis);
    }

    /** Only signals wake its pollers while a test runs. */
    private QueueNode idle() {
        QueueNode node = add(QueueNode.on(redis.port()).settings(Pacing.quiet().settings()));
        node.listen("t", ListenerOptions.DEFAULTS, deliveries -> null);
        await().until(node.signals::confirmed);
        node.template.send(message("warms up", Duration.ZERO));
        await().until(() -> happenings.count("acknowledged warms up") == 1);
        return node;
    }

    private QueueNode withoutSignals() {
        return add(driven().silent());
    }

    private static DelayMessage message(String id, Duration delay) {
        return DelayMessage.to("t").id(id).payload("").delay(delay).build();
    }

    @Test
    void noMessageIsHandledEarlyByTheClockOfRedis() {
        QueueNode node = add(QueueNode.on(redis.port()));
        Queue<Long> late = new ConcurrentLinkedQueue<>();
        node.listen("t", ListenerOptions.DEFAULTS, deliveries -> {
            late.add(clock.millis() - deliveries.get(0).dueAt().toEpochMilli());
            return null;
        });
        int count = 100;
        node.template.sendAll(IntStream.range(0, count)
                .mapToObj(i -> message("m" + i, Duration.ofMillis(7L * i)))
                .toList());
        await().until(() -> late.size() == count);
        assertThat(late).allMatch(millis -> millis >= 0);
    }

    /** Only a reply starts a worker, so that messages that begin to wait are handled in one batch. */
    @Test
    void runWithoutAPollStartsNoWorker() {
        Queue<Runnable> held = new ConcurrentLinkedQueue<>();
        AtomicBoolean released = new AtomicBoolean();
        AtomicInteger polls = new AtomicInteger();
        TaskPool.Reporter ignored = (task, failure) -> {};
        MovableTasks tasks = new MovableTasks(time, ignored);
        QueueNode node = add(QueueNode.on(redis.port())
                .settings(Pacing.quiet().settings())
                .scripts(runner -> call -> {
                    polls.addAndGet(call.script().name().equals("poll") ? 1 : 0);
                    return runner.run(call);
                })
                .tasks(tasks)
                .handlers(task -> {
                    if (released.get()) {
                        task.run();
                    } else {
                        held.add(task);
                    }
                }));
        node.listen("t", ListenerOptions.DEFAULTS, deliveries -> null);
        await().until(node.signals::confirmed);
        node.template.send(message("due", Duration.ZERO));
        await().until(() -> !held.isEmpty());

        for (int i = 1; i <= 10; i++) { // each signals a new head, for which there is nothing to poll yet
            int runs = tasks.calls();
            node.template.send(message("later" + i, FAR.minusSeconds(i)));
            await().until(() -> tasks.calls() > runs && tasks.areIdle());
        }

        assertThat(held).hasSizeLessThanOrEqualTo(polls.get());
        released.set(true);
        held.forEach(Runnable::run);
        await().until(() -> happenings.count("acknowledged due") == 1);
    }

    @Test
    void withoutAnySignalDueMessagesAreHandledByTheSweep() {
        QueueNode node = withoutSignals();
        node.listen("t", ListenerOptions.DEFAULTS, deliveries -> null);
        time.awaitTasks();
        node.template.send(message("due", Duration.ZERO));
        node.template.send(message("later", Duration.ofMinutes(1)));
        awaitWhileTimePasses("acknowledged due", 1);
        awaitWhileTimePasses("acknowledged later", 1);
        await().until(() -> happenings.count("sweepFound") > 0);
    }

    @Test
    void withoutAnySignalAnIdleConsumerHelpsOneThatIsFull() {
        QueueNode busy = withoutSignals();
        QueueNode other = withoutSignals();
        ListenerOptions one =
                ListenerOptions.DEFAULTS.toBuilder().concurrency(1).prefetch(0).build();
        Queue<String> stuck = new ConcurrentLinkedQueue<>();
        for (QueueNode node : nodes) {
            node.listen("t", one, deliveries -> {
                if (deliveries.get(0).id().equals("stuck")) {
                    stuck.add("stuck");
                    assertThat(release.await(60, TimeUnit.SECONDS)).isTrue();
                }
                return null;
            });
        }
        busy.template.send(message("stuck", Duration.ZERO));
        time.passUntil(STEP, () -> stuck.size() == 1);
        other.template.sendAll(List.of(message("a", Duration.ZERO), message("b", Duration.ZERO)));
        awaitWhileTimePasses("acknowledged a", 1);
        awaitWhileTimePasses("acknowledged b", 1);
    }

    @Test
    void idleConsumerGetsASendAtOnce() {
        QueueNode node = idle();
        node.template.send(message("later", FAR));
        node.template.send(message("now", Duration.ZERO));
        await().until(() -> happenings.count("acknowledged now") == 1);
        assertThat(happenings.of("sweepFound")).isEmpty();
    }
}
