package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerProgress;
import io.delayqueue.message.Shard.QueueKind;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** The progress that a listener reports. */
@EmbeddedRedis
class ListenerProgressTests extends NodeTest {

    private final MovableTime time = new MovableTime();

    ListenerProgressTests(RedisServerProcess redis) {
        super(redis);
    }

    private static ListenerContainer container(QueueNode node) {
        return node.container("t", QueueKind.MESSAGES, ListenerOptions.DEFAULTS, deliveries -> null);
    }

    private static void awaitSuccess(ListenerContainer container) {
        await().until(() -> isSuccess(container.progress()));
    }

    private static boolean isSuccess(ListenerProgress progress) {
        return progress.sinceSuccess() != null && progress.failingFor() == null;
    }

    @Test
    void stoppedListenerReportsNoProgress() {
        ListenerContainer container = container(add(QueueNode.on(redis.port())));
        assertThat(container.progress()).isEqualTo(ListenerProgress.NONE);
        container.start();
        awaitSuccess(container);
        container.stop().join();
        assertThat(container.progress()).isEqualTo(ListenerProgress.NONE);
    }

    /** A node does not poll before it knows which topics are paused. */
    @Test
    void runWithoutAPollIsNoSuccess() {
        CompletableFuture<Void> reply = new CompletableFuture<>();
        Queue<String> scripts = new ConcurrentLinkedQueue<>();
        QueueNode node = add(QueueNode.on(redis.port()).scripts(real -> call -> {
            scripts.add(call.script().name());
            return call.script().name().equals("heartbeat")
                    ? reply.thenCompose(begin -> real.run(call))
                    : real.run(call);
        }));
        node.template.send("t", "m");
        ListenerContainer container = container(node);
        container.start();
        await().until(() -> scripts.contains("heartbeat"));
        node.template.send("t", "later");
        assertThat(container.progress().sinceSuccess()).isNull();
        assertThat(scripts).doesNotContain("poll");

        reply.complete(null);
        awaitSuccess(container);
    }

    @Test
    void outageIsFailingUntilItIsOver() {
        try (FaultProxy proxy = FaultProxy.inFrontOf(redis)) {
            QueueNode node = add(QueueNode.on(proxy.port())
                    .commandTimeout(Duration.ofSeconds(1)) // ends the call that waits for a connection
                    .time(time));
            ListenerContainer container = container(node);
            container.start();
            awaitSuccess(container);
            proxy.refuse();
            proxy.disconnect();

            awaitWhileTimePasses(() -> container.progress().failingFor() != null);
            assertThat(container.progress().failure()).isInstanceOf(RedisCallException.class);
            assertThat(container.progress().sinceSuccess()).isPositive();

            proxy.pass();
            awaitWhileTimePasses(() -> isSuccess(container.progress()));
            assertThat(container.progress().failure()).isNull();
            node.close();
            nodes.remove(node);
        }
    }

    private void awaitWhileTimePasses(BooleanSupplier condition) {
        await().until(() -> {
            time.jump(EngineSettings.DEFAULTS.sweep());
            return condition.getAsBoolean();
        });
    }

    /** The tasks run by the system clock. */
    @Test
    void unassignedPollerPollsRarelyAndIsNotOverdue() {
        QueueNode node = add(QueueNode.on(redis.port())
                .settings(Pacing.quiet().sweep(Duration.ofMillis(100)).settings())
                .nanoTime(time));
        ListenerContainer assigned = container(node);
        ListenerContainer other = container(node);
        assigned.start();
        awaitSuccess(assigned);
        other.start();
        awaitSuccess(other);
        await().until(node.signals::confirmed);
        Duration manySweeps = Duration.ofSeconds(10); // less than the heartbeat timeout

        await().until(() -> {
            time.jump(manySweeps);
            await().until(() -> since(assigned).compareTo(manySweeps) < 0);
            return since(other).compareTo(manySweeps) > 0;
        });
        await().until(() -> other.progress().overdueFor().isZero());
    }

    private static Duration since(ListenerContainer container) {
        Duration since = container.progress().sinceSuccess();
        return since == null ? Duration.ZERO : since;
    }
}
