package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.Exhaustion.Failure;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.QueueKind;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.template.receive.LeasedDelivery;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The n-th thread or connection of a node cannot be created, for each n: every future ends, every shard is polled again,
 * and every message is acknowledged.
 */
@EmbeddedRedis
class ExhaustionTests extends NodeTest {

    private static final int SHARDS = 3;
    private static final int MESSAGES = 6;
    private static final int MOST = 400;
    private static final ListenerOptions OPTIONS =
            ListenerOptions.DEFAULTS.toBuilder().concurrency(2).build();

    ExhaustionTests(RedisServerProcess redis) {
        super(redis);
    }

    @Test
    void someThreadsOfTheEngineInTurn() {
        sweep(5, Failure.NO_THREAD, ExhaustionTests::threads);
    }

    @Test
    @Tag("long")
    @Tag("core")
    void eachThreadOfTheEngineInTurn() {
        sweep(1, Failure.NO_THREAD, ExhaustionTests::threads);
    }

    @Test
    void someTasksForTheExecutorInTurn() {
        sweep(5, Failure.NO_THREAD, ExhaustionTests::executors);
    }

    @Test
    @Tag("long")
    @Tag("core")
    @Timeout(600)
    void eachTaskForTheExecutorInTurn() {
        sweep(1, Failure.NO_THREAD, ExhaustionTests::executors);
        sweep(1, Failure.REJECTED, ExhaustionTests::executors);
    }

    @Test
    void someConnectionsInTurn() {
        sweep(97, Failure.NO_THREAD, ExhaustionTests::connections);
    }

    @Test
    @Tag("long")
    @Tag("core")
    @Timeout(600)
    void eachConnectionInTurn() {
        sweep(1, Failure.NO_THREAD, ExhaustionTests::connections);
        sweep(1, Failure.REJECTED, ExhaustionTests::connections);
    }

    private static QueueNode.Builder threads(QueueNode.Builder builder, Exhaustion exhaustion) {
        return builder.threads(exhaustion.threads());
    }

    private static QueueNode.Builder executors(QueueNode.Builder builder, Exhaustion exhaustion) {
        return builder.threads(Thread::new).handlers(exhaustion.executor(DaemonThreads.executor("exhaustion")));
    }

    private static QueueNode.Builder connections(QueueNode.Builder builder, Exhaustion exhaustion) {
        return builder.connections(exhaustion::connections);
    }

    private void sweep(
            int step, Failure failure, BiFunction<QueueNode.Builder, Exhaustion, QueueNode.Builder> exhausted) {
        for (int number = 0; number < MOST; number += step) {
            Exhaustion exhaustion = Exhaustion.atCall(number, failure);
            String topic = "t" + number;
            QueueNode.Builder builder = QueueNode.on(redis.port())
                    .shards(topic, SHARDS)
                    .settings(Pacing.builtIn().settings());
            try (QueueNode node = exhausted.apply(builder, exhaustion).start()) {
                Map<String, Boolean> handled = new ConcurrentHashMap<>();
                ListenerContainer container = node.container(topic, QueueKind.MESSAGES, OPTIONS, deliveries -> {
                    handled.put(deliveries.get(0).id(), true);
                    return null;
                });
                start(container);
                List<CompletableFuture<?>> sends = new ArrayList<>();
                for (int i = 0; i < MESSAGES; i++) {
                    String id = "m" + i;
                    sends.add(node.template.sendAsync(message(topic, id)));
                    if (i == MESSAGES / 2) {
                        node.dialAnew();
                    }
                }
                sends.forEach(ExhaustionTests::failureOf);
                IntStream.range(0, MESSAGES).forEach(i -> sendUntilStored(node, topic, "m" + i));
                receive(node, "p" + number);
                everyShardIsPolled(node, topic, handled);
                container.stop().orTimeout(60, TimeUnit.SECONDS).join();
                for (int shard = 0; shard < SHARDS; shard++) {
                    Shard counted = new Shard(topic, shard, SHARDS, QueueKind.MESSAGES);
                    // the failing call may be this one
                    await().ignoreExceptionsMatching(RedisCallException.class::isInstance)
                            .until(() -> node.store.awaitCount(counted).leased() == 0);
                }
            }
            if (exhaustion.failed() == 0) {
                assertThat(number).isPositive();
                return;
            }
        }
        throw new AssertionError("More than " + MOST + " calls");
    }

    /** A listener that cannot be started throws, and may be started again. */
    private static void start(ListenerContainer container) {
        if (catchThrowable(container::start) != null) {
            assertThat(container.isRunning()).isFalse();
            container.start();
        }
        assertThat(container.isRunning()).isTrue();
    }

    private void receive(QueueNode node, String topic) {
        sendUntilStored(node, topic, "received");
        await().until(() -> {
            List<LeasedDelivery> received = ended(
                    () -> node.receiver.receiveAsync(topic, 1, Duration.ofSeconds(2), Duration.ofSeconds(1)),
                    List.of());
            return !received.isEmpty() && ended(received.get(0)::acknowledge, false);
        });
    }

    private void everyShardIsPolled(QueueNode node, String topic, Map<String, Boolean> handled) {
        for (int shard = 0, i = 100; shard < SHARDS; i++) {
            if (Shard.indexOf("m" + i, SHARDS) == shard) {
                sendUntilStored(node, topic, "m" + i);
                String id = "m" + i;
                await().until(() -> handled.containsKey(id));
                shard++;
            }
        }
        assertThat(handled.keySet())
                .containsAll(IntStream.range(0, MESSAGES).mapToObj(i -> "m" + i).toList());
    }

    private static void sendUntilStored(QueueNode node, String topic, String id) {
        await().until(() -> failureOf(node.template.sendAsync(message(topic, id))) == null);
    }

    private static DelayMessage message(String topic, String id) {
        return DelayMessage.to(topic)
                .id(id)
                .payload("")
                .onDuplicate(OnDuplicate.KEEP)
                .build();
    }

    private static @Nullable Throwable failureOf(CompletableFuture<?> future) {
        Throwable failure = catchThrowable(() -> future.get(60, TimeUnit.SECONDS));
        assertThat(failure instanceof TimeoutException).as("never ends").isFalse();
        return failure;
    }

    /** The result of a future, or a default if it failed. */
    private static <T> T ended(Supplier<CompletableFuture<T>> call, T otherwise) {
        try {
            return call.get().orTimeout(60, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            assertThat(e.getCause()).isNotInstanceOf(TimeoutException.class);
            return otherwise;
        }
    }
}
