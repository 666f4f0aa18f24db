package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerProgress;
import io.delayqueue.message.QueueKind;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** The progress that a listener reports. */
class ListenerProgressTests extends NodeTest {

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
}
