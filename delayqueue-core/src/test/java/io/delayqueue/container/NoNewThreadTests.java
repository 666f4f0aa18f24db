package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.QueueKind;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.template.receive.LeasedDelivery;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A listener, a sender and a receiver while no thread can be created and Redis does not reply: afterwards every future
 * has ended, every shard is polled, and nothing is leased.
 */
@EmbeddedRedis
class NoNewThreadTests extends NodeTest {

    private static final int SHARDS = 8;

    private final Exhaustion exhaustion = Exhaustion.whenTold();
    private final Queue<CompletableFuture<?>> futures = new ConcurrentLinkedQueue<>();
    private final Map<String, Boolean> stored = new ConcurrentHashMap<>();
    private final Map<String, Boolean> handled = new ConcurrentHashMap<>();
    private FaultProxy network;
    private ListenerContainer container;
    private @Nullable CompletableFuture<?> receiving;
    private int sent;

    NoNewThreadTests(RedisServerProcess redis) {
        super(redis);
    }

    @AfterEach
    void closeNetwork() {
        network.pass();
        nodes.forEach(QueueNode::close);
        nodes.clear();
        network.close();
    }

    @Test
    void allContinueAfterwards() {
        QueueNode node = start(Duration.ofSeconds(60));
        useUntil(node, () -> !handled.isEmpty());
        exhaustion.begin();
        useUntil(node, () -> exhaustion.failed() > 10);
        exhaustion.end();
        assertContinues(node);
    }

    @Test
    @Tag("long")
    @Tag("core")
    @Timeout(300)
    void allContinueAfterAMinute() {
        QueueNode node = start(Duration.ofMillis(300));
        Consumer<Duration> use = time -> {
            long end = System.nanoTime() + time.toNanos();
            useUntil(node, () -> System.nanoTime() - end >= 0);
        };
        use.accept(Duration.ofMillis(200));
        exhaustion.begin();
        use.accept(Duration.ofSeconds(14));
        network.halfOpen(Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT);
        use.accept(Duration.ofSeconds(12));
        network.pass();
        use.accept(Duration.ofSeconds(34));
        assertThat(exhaustion.failed()).isPositive();
        exhaustion.end();
        use.accept(Duration.ofMillis(200));
        assertContinues(node);
    }

    private QueueNode start(Duration commandTimeout) {
        network = FaultProxy.inFrontOf(redis);
        QueueNode node = add(QueueNode.on(network.port())
                .shards("t", SHARDS)
                .commandTimeout(commandTimeout)
                .settings(Pacing.builtIn().sweep(Duration.ofSeconds(1)).settings())
                .threads(exhaustion.threads())
                // threads that end soon, so that others must be created
                .handlers(new ThreadPoolExecutor(
                        0, 100, 1, TimeUnit.MILLISECONDS, new SynchronousQueue<>(), exhaustion.threads())));
        container = node.listen(
                "t", ListenerOptions.DEFAULTS.toBuilder().concurrency(3).build(), deliveries -> {
                    handled.put(deliveries.get(0).id(), true);
                    return null;
                });
        return node;
    }

    private void assertContinues(QueueNode node) {
        everyShardIsPolled(node);
        await().until(() -> handled.keySet().containsAll(stored.keySet()));
        await().until(() -> futures.stream().allMatch(CompletableFuture::isDone));
        await().until(() -> IntStream.range(0, SHARDS).allMatch(shard -> isEmpty(node, "t", shard, SHARDS))
                && isEmpty(node, "p", 0, 1));
        container.stop().orTimeout(60, TimeUnit.SECONDS).join();
    }

    /** Sends to both topics and receives from one of them. */
    private void useUntil(QueueNode node, BooleanSupplier end) {
        await().pollInterval(Duration.ofMillis(20)).until(() -> {
            send(node, "t", "m" + ++sent);
            send(node, "p", "p" + sent);
            receive(node);
            return end.getAsBoolean();
        });
    }

    private void send(QueueNode node, String topic, String id) {
        CompletableFuture<?> future = node.template.sendAsync(DelayMessage.to(topic)
                .id(id)
                .payload("")
                .onDuplicate(OnDuplicate.KEEP)
                .build());
        futures.add(topic.equals("t") ? future.thenRun(() -> stored.put(id, true)) : future);
    }

    private void receive(QueueNode node) {
        if (receiving != null && !receiving.isDone()) {
            return;
        }
        CompletableFuture<List<LeasedDelivery>> received =
                node.receiver.receiveAsync("p", 100, Duration.ofMillis(500), Duration.ofSeconds(2));
        receiving = received;
        futures.add(received);
        futures.add(
                received.thenAccept(deliveries -> deliveries.forEach(delivery -> futures.add(delivery.acknowledge()))));
    }

    private void everyShardIsPolled(QueueNode node) {
        for (int shard = 0, i = 1_000_000; shard < SHARDS; i++) {
            String id = "m" + i;
            if (Shard.indexOf(id, SHARDS) == shard) {
                await().until(() -> {
                    CompletableFuture<?> sending = node.template.sendAsync(DelayMessage.to("t")
                            .id(id)
                            .payload("")
                            .onDuplicate(OnDuplicate.KEEP)
                            .build());
                    return catchThrowable(() -> sending.get(60, TimeUnit.SECONDS)) == null;
                });
                await().until(() -> handled.containsKey(id));
                shard++;
            }
        }
    }

    private boolean isEmpty(QueueNode node, String topic, int index, int count) {
        receive(node);
        try {
            var counts = node.store.awaitCount(new Shard(topic, index, count, QueueKind.MESSAGES));
            return counts.leased() == 0 && counts.scheduled() == 0;
        } catch (RedisCallException tooLate) {
            return false;
        }
    }
}
