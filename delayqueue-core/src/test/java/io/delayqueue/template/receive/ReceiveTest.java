package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.RedisSignals;
import io.delayqueue.store.CrashLimits;
import io.delayqueue.store.ShardCounts;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.QueueOnRedis;
import io.delayqueue.template.RedisTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A receiver on a real Redis, with signals, and with tasks on one thread of the test. */
abstract class ReceiveTest extends RedisTest {

    static final Duration LEASE = Duration.ofSeconds(30);
    static final Duration LONG = Duration.ofMinutes(1);

    /** Sweeps too rarely to affect a test, and reclaims overdue leases at once. */
    static final ReceiveSettings SETTINGS = new ReceiveSettings(
            Duration.ofMinutes(10), Duration.ofMinutes(10), 3, 2, CrashLimits.DEFAULTS, Duration.ZERO);

    TestTasks tasks;
    RedisSignals signals;
    DefaultDelayQueueReceiver receiver;
    DelayQueueTemplate template;
    private ExecutorService executor;

    @BeforeEach
    void begin() {
        tasks = new TestTasks();
        executor = Executors.newCachedThreadPool();
        signals = new RedisSignals(
                queue.connections(), queue.keySpace(), executor, "test", Duration.ofMinutes(1), System::nanoTime);
        signals.start();
        receiver = receiver(SETTINGS);
        template = queue.template();
    }

    @AfterEach
    void end() {
        receiver.close();
        signals.close();
        tasks.close();
        executor.shutdownNow();
        assertThat(tasks.failure()).isNull();
    }

    DefaultDelayQueueReceiver receiver(ReceiveSettings settings) {
        return DefaultDelayQueueReceiver.builder(queue.store(), queue.topics(), QueueOnRedis.codec(), signals, tasks)
                .events(queue.events())
                .settings(settings)
                .build();
    }

    void send(String id, Duration delay) {
        template.send(
                DelayMessage.to("orders").id(id).payload("p" + id).delay(delay).build());
    }

    List<LeasedDelivery> receiveNow(int max) {
        return receiver.receive("orders", max, Duration.ZERO, LEASE);
    }

    LeasedDelivery receiveOne() {
        List<LeasedDelivery> deliveries = receiver.receive("orders", 1, LONG, LEASE);
        assertThat(deliveries).hasSize(1);
        return deliveries.get(0);
    }

    ShardCounts counts() {
        return queue.store().awaitCount(Shard.single("orders"));
    }

    /** Waits until no task has run and no script was called for a while. */
    void awaitAsleep() {
        int[] last = {-1};
        await().pollInterval(50, TimeUnit.MILLISECONDS).until(() -> {
            int before = last[0];
            last[0] = tasks.calls() + queue.calls();
            return before == last[0] && tasks.calls() > 0 && !queue.isCalling();
        });
    }

    /** Waits until the server has a subscriber for signals. */
    void awaitSubscription() {
        await().until(() -> {
            Object reply = server.command("PUBSUB", "NUMSUB", queue.keySpace().signalChannel());
            return reply instanceof List<?> parts && Long.valueOf(1).equals(parts.get(1));
        });
    }

    static <T> T join(CompletableFuture<T> future) {
        return future.orTimeout(30, TimeUnit.SECONDS).join();
    }
}
