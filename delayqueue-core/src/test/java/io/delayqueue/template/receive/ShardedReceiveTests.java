package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.MessageState;
import io.delayqueue.message.Shard;
import io.delayqueue.store.CrashLimits;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.RedisMessageStore;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.ShardPlan.OnConflict;
import io.delayqueue.store.script.TopicDeletion;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.DelayQueueUnavailableException;
import io.delayqueue.template.QueueOnRedis;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Receiving from a topic of many shards. */
class ShardedReceiveTests extends ReceiveTest {

    private static final int SHARDS = 16;
    private static final Duration GRACE = Duration.ofMinutes(5);

    @Override
    protected ShardPlan plan() {
        return plan(SHARDS);
    }

    private static ShardPlan plan(int shards) {
        return new ShardPlan(Map.of("orders", shards), OnConflict.FAIL);
    }

    @Test
    void aReceiverReceivesFromAllShards() {
        IntStream.range(0, 60).forEach(i -> send("m" + i, Duration.ZERO));
        TreeSet<String> received = new TreeSet<>();
        for (List<LeasedDelivery> got = receiveNow(7); !got.isEmpty(); got = receiveNow(7)) {
            assertThat(got).hasSizeLessThanOrEqualTo(7);
            got.forEach(delivery -> {
                assertThat(received.add(delivery.id())).isTrue();
                assertThat(join(delivery.acknowledge())).isTrue();
            });
        }
        assertThat(received).hasSize(60);
        for (Shard shard : Shard.all("orders", SHARDS)) {
            assertThat(queue.store().awaitCount(shard).leased()).isZero();
        }
    }

    @Test
    void aWaitingReceiverIsWokenByEachShard() {
        receiveNow(1);
        for (int i = 0; i < 40; i++) {
            CompletableFuture<List<LeasedDelivery>> waiting = receiver.receiveAsync("orders", 1, LONG, LEASE);
            send("m" + i, Duration.ZERO);
            LeasedDelivery delivery = join(waiting).get(0);
            assertThat(delivery.id()).isEqualTo("m" + i);
            join(delivery.acknowledge());
        }
    }

    /** Wraps a store and records the shards that it polls. */
    private static MessageStore recording(List<Integer> polled, MessageStore real) {
        return (MessageStore) Proxy.newProxyInstance(
                MessageStore.class.getClassLoader(), new Class<?>[] {MessageStore.class}, (proxy, method, given) -> {
                    if (method.getName().equals("pollIfRegistered")) {
                        polled.add(((Shard) given[0]).index());
                    }
                    try {
                        return method.invoke(real, given);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void eachShardOfAnIdleTopicIsSweptOncePerIntervalForAllReceivers() {
        queue.topics().shards("orders").join();
        List<Integer> polled = new CopyOnWriteArrayList<>();
        try (DefaultDelayQueueReceiver sweeping =
                builder(recording(polled, queue.store()), queue.topics()).build()) {
            for (int i = 0; i < 5; i++) {
                CompletableFuture<?> unused = sweeping.receiveAsync("orders", 1, LONG, LEASE);
            }
            awaitAsleep();
            for (int sweep = 0; sweep < 3; sweep++) {
                polled.clear();
                pass(SWEEP);
                awaitAsleep();

                assertThat(polled).hasSize(SHARDS).doesNotHaveDuplicates();
            }
        }
    }

    @Test
    void whileRedisIsUnavailableNoShardCountIsAssumed() {
        send("a", Duration.ZERO);
        try (QueueOnRedis newcomer = new QueueOnRedis(server);
                DefaultDelayQueueReceiver receiving =
                        builder(newcomer.store(), newcomer.topics()).build()) {
            newcomer.proxy().refuse();
            assertThatThrownBy(() -> receiving.receive("orders", 1, Duration.ZERO, LEASE))
                    .isInstanceOf(DelayQueueUnavailableException.class)
                    .hasMessageContaining("orders");
            CompletableFuture<List<LeasedDelivery>> waiting = receiving.receiveAsync("orders", 1, LONG, LEASE);
            int calls = tasks.calls();
            await().until(() -> {
                pass(Duration.ofSeconds(1));
                return tasks.calls() > calls + 1;
            });
            assertThat(waiting).isNotDone();
            newcomer.proxy().pass();
            assertThat(join(waiting).get(0).id()).isEqualTo("a");
            assertThat(newcomer.topics().shards("orders").join()).hasSize(SHARDS);
        }
    }

    @Test
    void anotherShardCountIsReported() {
        send("a", Duration.ZERO);
        try (QueueOnRedis other = new QueueOnRedis(server, plan(3));
                DefaultDelayQueueReceiver receiving =
                        builder(other.store(), other.topics()).build()) {
            assertThatThrownBy(() -> receiving.receive("orders", 1, LONG, LEASE))
                    .isInstanceOf(DelayQueueException.class)
                    .hasMessageContaining("registered with 16 shards");
        }
    }

    @Test
    void aWaitingReceiverFollowsATopicThatIsRegisteredAgain() {
        queue.topics().shards("orders").join();
        TopicRegistry following = new TopicRegistry(queue.scripts(), queue.keySpace());
        try (DefaultDelayQueueReceiver receiving = builder(
                        new RedisMessageStore(queue.scripts(), queue.keySpace(), following), following)
                .build()) {
            CompletableFuture<List<LeasedDelivery>> waiting = receiving.receiveAsync("orders", 1, LONG, LEASE);
            awaitAsleep();
            TopicRegistry five = new TopicRegistry(queue.scripts(), queue.keySpace(), plan(5));
            new TopicDeletion(queue.scripts(), queue.keySpace(), five).delete("orders");
            assertThat(five.shards("orders").join()).hasSize(5);
            DelayQueueTemplate sending = DelayQueueTemplate.builder(
                            new RedisMessageStore(queue.scripts(), queue.keySpace(), five),
                            five,
                            QueueOnRedis.codec(),
                            InstantSource.system())
                    .build();
            sending.send("orders", "text");
            pass(SWEEP);
            assertThat(join(waiting)).hasSize(1);
            assertThat(following.shards("orders").join()).hasSize(5);
            assertThat(join(join(waiting).get(0).acknowledge())).isTrue();
        }
    }

    @Test
    void overdueLeasesAreReclaimedEvenIfNoReceiverWaitsForLong() {
        DefaultDelayQueueReceiver graceful = builder()
                .settings(new ReceiveSettings(SWEEP, SWEEP, 3, 0, CrashLimits.DEFAULTS, GRACE))
                .build();
        send("a", Duration.ZERO);
        graceful.receive("orders", 1, LONG, LEASE);
        awaitNoTasks();
        pass(LEASE);

        assertThat(graceful.receive("orders", 1, Duration.ZERO, LEASE)).isEmpty();
        awaitAsleep();
        assertThat(found("a").state()).isEqualTo(MessageState.LEASED);
        int calls = tasks.calls();
        pass(GRACE);

        await().until(() -> found("a").state() == MessageState.READY);
        awaitNoTasks();
        assertThat(tasks.calls() - calls)
                .as("the task sleeps between polls, also if polls of shards without overdue leases are due")
                .isLessThan(100);
        graceful.close();
    }
}
