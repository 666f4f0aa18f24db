package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

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
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
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
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration TIMEOUT = Duration.ofMillis(300);

    private final Exhaustion exhaustion = Exhaustion.whenTold();
    private final Queue<CompletableFuture<?>> futures = new ConcurrentLinkedQueue<>();
    private final Map<String, Boolean> stored = new ConcurrentHashMap<>();
    private final Map<String, Boolean> handled = new ConcurrentHashMap<>();
    private FaultProxy network;
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
        outlive(Duration.ofMillis(300), Duration.ofMillis(1200), Duration.ofMillis(200));
    }

    @Test
    @Tag("long")
    @Tag("core")
    @Timeout(300)
    void allContinueAfterAMinute() {
        outlive(Duration.ofSeconds(14), Duration.ofSeconds(12), Duration.ofSeconds(34));
    }

    private void outlive(Duration before, Duration pause, Duration after) {
        network = FaultProxy.inFrontOf(redis);
        QueueNode node = add(QueueNode.on(network.port())
                .shards("t", SHARDS)
                .commandTimeout(TIMEOUT)
                .settings(Pacing.builtIn().sweep(Duration.ofSeconds(1)).settings())
                .threads(exhaustion.threads())
                // threads that end soon, so that others must be created
                .handlers(new ThreadPoolExecutor(
                        0, 100, 50, TimeUnit.MILLISECONDS, new SynchronousQueue<>(), exhaustion.threads())));
        ListenerContainer container = node.listen(
                "t", ListenerOptions.DEFAULTS.toBuilder().concurrency(3).build(), deliveries -> {
                    handled.put(deliveries.get(0).id(), true);
                    return null;
                });
        use(node, Duration.ofMillis(200));

        exhaustion.begin();
        use(node, before);
        network.halfOpen(Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT);
        use(node, pause);
        network.pass();
        use(node, after);
        assertThat(exhaustion.failed()).isPositive();
        exhaustion.end();

        use(node, Duration.ofMillis(200));
        everyShardIsPolled(node);
        await().until(() -> handled.keySet().containsAll(stored.keySet()));
        await().until(() -> futures.stream().allMatch(CompletableFuture::isDone));
        await().until(() -> IntStream.range(0, SHARDS).allMatch(shard -> isEmpty(node, "t", shard, SHARDS))
                && isEmpty(node, "p", 0, 1));
        container.stop().orTimeout(10, TimeUnit.SECONDS).join();
    }

    /** Sends to both topics and receives from one of them, for a time. */
    private void use(QueueNode node, Duration time) {
        long end = System.nanoTime() + time.toNanos();
        await().atMost(time.plusSeconds(30)).pollInterval(Duration.ofMillis(20)).until(() -> {
            send(node, "t", "m" + ++sent);
            send(node, "p", "p" + sent);
            receive(node);
            return System.nanoTime() - end >= 0;
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
                    return catchThrowable(() -> sending.get(10, TimeUnit.SECONDS)) == null;
                });
                await().until(() -> handled.containsKey(id));
                shard++;
            }
        }
    }

    private static ConditionFactory await() {
        return Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .atMost(LONG);
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
