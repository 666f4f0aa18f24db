package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.Exhaustion.Failure;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DaemonThreads;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.template.receive.LeasedDelivery;
import io.delayqueue.template.receive.ReceiveRequest;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The n-th thread or connection of a node cannot be created, for each n, or none for a time: every future ends, every
 * shard is polled again, and every message is acknowledged.
 */
class ExhaustionTests extends NodeTest {

    private static final int SHARDS = 3;
    private static final int MESSAGES = 6;
    private static final int MOST = 400;

    /** What cannot be created. */
    enum Resource {
        THREAD,
        TASK_OF_THE_EXECUTOR,
        CONNECTION;

        QueueNode.Builder exhaust(QueueNode.Builder builder, Exhaustion exhaustion) {
            return switch (this) {
                case THREAD -> builder.threads(exhaustion.threads());
                case TASK_OF_THE_EXECUTOR ->
                    builder.threads(Thread::new).handlers(exhaustion.executor(DaemonThreads.executor("exhaustion")));
                case CONNECTION -> builder.connections(exhaustion.connections());
            };
        }
    }

    private final Map<String, Boolean> handled = new ConcurrentHashMap<>();

    ExhaustionTests(RedisServerProcess redis) {
        super(redis);
    }

    @ParameterizedTest
    @CsvSource({"THREAD, 5", "TASK_OF_THE_EXECUTOR, 5", "CONNECTION, 1"})
    void someInTurn(Resource resource, int step) {
        sweep(resource, step, Failure.NO_THREAD);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("long")
    @Tag("core")
    @Timeout(600)
    void eachInTurn(Resource resource) {
        sweep(resource, 1, Failure.NO_THREAD);
        if (resource != Resource.THREAD) {
            sweep(resource, 1, Failure.REJECTED);
        }
    }

    @Test
    void noThreadForATime() {
        Exhaustion exhaustion = Exhaustion.whenTold();
        // threads that end soon, so that others must be created
        ThreadPoolExecutor handlers = new ThreadPoolExecutor(
                0, 100, 1, TimeUnit.MILLISECONDS, new SynchronousQueue<>(), exhaustion.threads());
        try (QueueNode node =
                node("t").threads(exhaustion.threads()).handlers(handlers).start()) {
            ListenerContainer container = container(node, "t");
            container.start();
            Map<String, CompletableFuture<?>> sends = new HashMap<>();
            List<CompletableFuture<?>> receiving = new ArrayList<>();
            exhaustion.begin();
            await().until(() -> {
                String id = "during" + sends.size();
                sends.put(id, node.template.sendAsync(message("t", id)));
                receiving.add(
                        node.receiver.receiveAsync(ReceiveRequest.from("p").lease(Duration.ofSeconds(1))));
                return exhaustion.failed() > 10;
            });
            exhaustion.end();
            receiving.forEach(ExhaustionTests::failureOf);
            sends.values().removeIf(send -> failureOf(send) != null);
            continues(node, container, "t", "p");
            await().until(() -> handled.keySet().containsAll(sends.keySet()));
        }
    }

    private QueueNode.Builder node(String topic) {
        return QueueNode.on(redis.port()).shards(topic, SHARDS);
    }

    private ListenerContainer container(QueueNode node, String topic) {
        ListenerOptions options =
                ListenerOptions.DEFAULTS.toBuilder().concurrency(2).build();
        return node.container(topic, QueueKind.MESSAGES, options, deliveries -> {
            handled.put(deliveries.get(0).id(), true);
            return null;
        });
    }

    private void sweep(Resource resource, int step, Failure failure) {
        int first = resource == Resource.THREAD ? 1 : 0; // without a thread for connections, no node starts
        for (int number = first; number < MOST; number += step) {
            Exhaustion exhaustion = Exhaustion.atCall(number, failure);
            String topic = "t" + number;
            handled.clear();
            try (QueueNode node = resource.exhaust(node(topic), exhaustion).start()) {
                ListenerContainer container = container(node, topic);
                start(container);
                List<CompletableFuture<?>> sends = new ArrayList<>();
                for (int i = 0; i < MESSAGES; i++) {
                    sends.add(node.template.sendAsync(keptMessage(topic, "m" + i)));
                    if (i == MESSAGES / 2) {
                        node.dialAnew();
                    }
                }
                sends.forEach(ExhaustionTests::failureOf);
                IntStream.range(0, MESSAGES).forEach(i -> sendUntilStored(node, topic, "m" + i));
                continues(node, container, topic, "p" + number);
                assertThat(handled.keySet())
                        .containsAll(IntStream.range(0, MESSAGES)
                                .mapToObj(i -> "m" + i)
                                .toList());
            }
            if (exhaustion.failed() == 0) {
                assertThat(number).isPositive();
                return;
            }
        }
        throw new AssertionError("More than " + MOST + " calls");
    }

    private void continues(QueueNode node, ListenerContainer container, String topic, String received) {
        receive(node, received);
        everyShardIsPolled(node, topic);
        container.stop().orTimeout(60, TimeUnit.SECONDS).join();
        for (Shard shard : Shard.all(topic, SHARDS)) {
            // the failing call may be this one
            await().ignoreExceptionsMatching(RedisCallException.class::isInstance)
                    .until(() -> Await.result(node.store.count(shard)).counts().leased() == 0);
        }
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
                    () -> node.receiver.receiveAsync(ReceiveRequest.from(topic)
                            .waitTime(Duration.ofSeconds(2))
                            .lease(Duration.ofSeconds(1))),
                    List.of());
            return !received.isEmpty() && ended(received.get(0)::acknowledge, false);
        });
    }

    private void everyShardIsPolled(QueueNode node, String topic) {
        for (int shard = 0, i = 100; shard < SHARDS; i++) {
            if (Shard.indexOf("m" + i, SHARDS) == shard) {
                sendUntilStored(node, topic, "m" + i);
                String id = "m" + i;
                await().until(() -> handled.containsKey(id));
                shard++;
            }
        }
    }

    private static void sendUntilStored(QueueNode node, String topic, String id) {
        await().until(() -> failureOf(node.template.sendAsync(keptMessage(topic, id))) == null);
    }

    private static DelayMessage keptMessage(String topic, String id) {
        return message(topic, id).toBuilder().onDuplicate(OnDuplicate.KEEP).build();
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
