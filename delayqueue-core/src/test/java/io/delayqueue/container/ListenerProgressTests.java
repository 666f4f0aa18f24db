package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerProgress;
import io.delayqueue.message.Shard.QueueKind;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The progress that a listener reports. */
class ListenerProgressTests {

    /** Three times a sweep, a timeout and a back-off. */
    private static final Duration NOTICED = Duration.ofSeconds(10);

    private final RedisServerProcess redis = RedisServerProcess.start();
    private final QueueNode node = QueueNode.on(redis.port())
            .commandTimeout(Duration.ofMillis(300))
            .settings(Pacing.builtIn().sweep(Duration.ofSeconds(2)).settings())
            .start();

    @AfterEach
    void close() {
        if (!redis.isRunning()) {
            redis.restart();
        }
        node.close();
        redis.close();
    }

    private ListenerContainer container() {
        return node.container("t", QueueKind.MESSAGES, ListenerOptions.DEFAULTS, deliveries -> null);
    }

    private static void awaitSuccess(ListenerContainer container) {
        await().atMost(NOTICED).until(() -> {
            ListenerProgress progress = container.progress();
            return progress.sinceSuccess() != null && progress.failingFor() == null;
        });
    }

    @Test
    void stoppedListenerReportsNoProgress() {
        ListenerContainer container = container();
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
        try (QueueNode waiting = QueueNode.on(redis.port())
                .scripts(real -> call -> call.script().name().equals("heartbeat")
                        ? reply.thenCompose(begin -> real.run(call))
                        : real.run(call))
                .start()) {
            ListenerContainer container =
                    waiting.container("t", QueueKind.MESSAGES, ListenerOptions.DEFAULTS, deliveries -> null);
            container.start();
            await().during(Duration.ofSeconds(1))
                    .until(() -> container.progress().sinceSuccess() == null);

            reply.complete(null);
            awaitSuccess(container);
        }
    }

    @Test
    void outageIsFailingUntilItIsOver() {
        ListenerContainer container = container();
        container.start();
        awaitSuccess(container);
        redis.kill();

        await().atMost(NOTICED).until(() -> container.progress().failingFor() != null);
        assertThat(container.progress().failure()).isInstanceOf(RedisCallException.class);
        assertThat(container.progress().sinceSuccess()).isPositive();

        redis.restart();
        awaitSuccess(container);
        assertThat(container.progress().failure()).isNull();
    }

    @Test
    void unassignedPollerPollsRarelyAndIsNotOverdue() {
        ListenerContainer assigned = container();
        ListenerContainer other = container();
        assigned.start();
        awaitSuccess(assigned);
        other.start();
        awaitSuccess(other);
        Duration muchLongerThanASweep = Duration.ofSeconds(4);

        await().atMost(Duration.ofSeconds(60)).until(() -> since(other).compareTo(muchLongerThanASweep) > 0);

        assertThat(other.progress().overdueFor()).isZero();
        assertThat(since(assigned)).isLessThan(muchLongerThanASweep);
    }

    private static Duration since(ListenerContainer container) {
        Duration since = container.progress().sinceSuccess();
        return since == null ? Duration.ZERO : since;
    }
}
