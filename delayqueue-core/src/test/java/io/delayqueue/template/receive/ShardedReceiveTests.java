package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.MessageState;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.store.CrashLimits;
import io.delayqueue.store.script.RedisMessageStore;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.ShardPlan.OnConflict;
import io.delayqueue.store.script.TopicDeletion;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.DelayQueueUnavailableException;
import io.delayqueue.template.QueueOnRedis;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
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
            assertThat(Await.result(queue.store.count(shard)).counts().leased()).isZero();
        }
    }

    @Test
    void eachShardOfAnIdleTopicIsSweptOncePerIntervalForAllReceivers() {
        queue.topics.shards("orders").join();
        for (int i = 0; i < 5; i++) {
            CompletableFuture<?> unused = waiting(1);
        }
        awaitAsleep();
        for (int sweep = 0; sweep < 3; sweep++) {
            int calls = queue.calls();
            pass(SWEEP);
            awaitAsleep();
            assertThat(queue.calls() - calls).isEqualTo(SHARDS);
        }
    }

    @Test
    void whileRedisIsUnavailableNoShardCountIsAssumed() {
        send("a", Duration.ZERO);
        try (QueueOnRedis newcomer = new QueueOnRedis(server);
                DefaultDelayQueueReceiver receiving =
                        builder(newcomer.store, newcomer.topics).build()) {
            newcomer.proxy.refuse();
            assertThatThrownBy(() -> receiving.receive("orders", 1, Duration.ZERO))
                    .isInstanceOf(DelayQueueUnavailableException.class)
                    .hasMessageContaining("orders");
            CompletableFuture<List<LeasedDelivery>> waiting = receiving.receiveAsync("orders", 1, LONG);
            int calls = tasks.calls();
            await().until(() -> {
                pass(Duration.ofSeconds(1));
                return tasks.calls() > calls + 1;
            });
            assertThat(waiting).isNotDone();
            newcomer.proxy.pass();
            assertThat(join(waiting).get(0).id()).isEqualTo("a");
            assertThat(newcomer.topics.shards("orders").join()).hasSize(SHARDS);
        }
    }

    @Test
    void aWaitingReceiverFollowsATopicThatIsRegisteredAgain() {
        queue.topics.shards("orders").join();
        TopicRegistry following = new TopicRegistry(queue.scripts, queue.keySpace);
        try (DefaultDelayQueueReceiver receiving = builder(
                        new RedisMessageStore(queue.scripts, queue.keySpace, following), following)
                .build()) {
            CompletableFuture<List<LeasedDelivery>> waiting = receiving.receiveAsync("orders", 1, LONG);
            awaitAsleep();
            TopicRegistry five = new TopicRegistry(queue.scripts, queue.keySpace, plan(5));
            new TopicDeletion(queue.scripts, queue.keySpace, five).delete("orders");
            assertThat(five.shards("orders").join()).hasSize(5);
            DelayQueueTemplate sending = DelayQueueTemplate.builder(
                            new RedisMessageStore(queue.scripts, queue.keySpace, five),
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
        graceful.receive("orders", 1, LONG);
        awaitNoTasks();
        pass(LEASE);

        assertThat(graceful.receive("orders", 1, Duration.ZERO)).isEmpty();
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
