package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.Completions;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.Shard;
import io.delayqueue.store.CrashLimits;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.TopicConflictException;
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
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Receiving from a topic of many shards. */
class ShardedReceiveTests extends ReceiveTest {

    private static final int SHARDS = 16;
    private static final Duration SWEEP = Duration.ofMillis(200);
    private static final ReceiveSettings SWEEPING =
            new ReceiveSettings(SWEEP, SWEEP, 3, 0, CrashLimits.DEFAULTS, Duration.ZERO);

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
        awaitSubscription();
        for (int i = 0; i < 40; i++) {
            CompletableFuture<List<LeasedDelivery>> waiting = receiver.receiveAsync("orders", 1, LONG, LEASE);
            send("m" + i, Duration.ZERO);
            LeasedDelivery delivery = join(waiting).get(0);
            assertThat(delivery.id()).isEqualTo("m" + i);
            join(delivery.acknowledge());
        }
    }

    /** The start times of the polls of each shard. */
    private record Polls(List<List<Long>> started) {

        Polls() {
            this(IntStream.range(0, SHARDS)
                    .mapToObj(i -> Collections.<Long>synchronizedList(new ArrayList<>()))
                    .toList());
        }

        MessageStore around(MessageStore real) {
            return (MessageStore) Proxy.newProxyInstance(
                    MessageStore.class.getClassLoader(),
                    new Class<?>[] {MessageStore.class},
                    (proxy, method, given) -> {
                        if (method.getName().equals("pollIfRegistered")) {
                            started.get(((Shard) given[0]).index()).add(System.nanoTime());
                        }
                        try {
                            return method.invoke(real, given);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }

    @Test
    void eachShardOfAnIdleTopicIsSweptOncePerIntervalForAllReceivers() {
        queue.topics().shards("orders").join();
        Polls polls = new Polls();
        try (DefaultDelayQueueReceiver sweeping = DefaultDelayQueueReceiver.builder(
                        polls.around(queue.store()), queue.topics(), QueueOnRedis.codec(), signals, tasks)
                .settings(SWEEPING)
                .build()) {
            for (int i = 0; i < 5; i++) {
                CompletableFuture<?> unused = sweeping.receiveAsync("orders", 1, LONG, LEASE);
            }
            // the first polls are for the new receivers
            await().until(() -> polls.started.stream().allMatch(shard -> shard.size() >= 10));
        }
        for (List<Long> shard : polls.started) {
            assertThat(shard.size()).isBetween(10, polls.started.get(0).size() + 1);
            for (int i = 7; i < shard.size(); i++) {
                assertThat(shard.get(i) - shard.get(i - 1)).isGreaterThanOrEqualTo(SWEEP.toNanos());
            }
        }
    }

    @Test
    void whileRedisIsUnavailableNoShardCountIsAssumed() {
        send("a", Duration.ZERO);
        try (QueueOnRedis newcomer = new QueueOnRedis(server);
                DefaultDelayQueueReceiver receiving = DefaultDelayQueueReceiver.builder(
                                newcomer.store(), newcomer.topics(), QueueOnRedis.codec(), signals, tasks)
                        .settings(SETTINGS)
                        .build()) {
            newcomer.proxy().refuse();
            assertThatThrownBy(() -> receiving.receive("orders", 1, Duration.ZERO, LEASE))
                    .isInstanceOf(DelayQueueUnavailableException.class)
                    .hasMessageContaining("orders");
            CompletableFuture<List<LeasedDelivery>> waiting = receiving.receiveAsync("orders", 1, LONG, LEASE);
            int calls = tasks.calls();
            await().until(() -> tasks.calls() > calls + 4);
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
                DefaultDelayQueueReceiver receiving = DefaultDelayQueueReceiver.builder(
                                other.store(), other.topics(), QueueOnRedis.codec(), signals, tasks)
                        .build()) {
            assertThatThrownBy(() -> receiving.receive("orders", 1, LONG, LEASE))
                    .isInstanceOf(DelayQueueException.class)
                    .hasMessageContaining("registered with 16 shards");
        }
    }

    @Test
    void aWaitingReceiverFollowsATopicThatIsRegisteredAgain() {
        queue.topics().shards("orders").join();
        TopicRegistry following = new TopicRegistry(queue.scripts(), queue.keySpace());
        try (DefaultDelayQueueReceiver receiving = DefaultDelayQueueReceiver.builder(
                        new RedisMessageStore(queue.scripts(), queue.keySpace(), following),
                        following,
                        QueueOnRedis.codec(),
                        signals,
                        tasks)
                .settings(SWEEPING)
                .build()) {
            CompletableFuture<List<LeasedDelivery>> waiting = receiving.receiveAsync("orders", 1, LONG, LEASE);
            await().until(() -> following.knownShardOf("orders", "a").isPresent());
            TopicRegistry five = new TopicRegistry(queue.scripts(), queue.keySpace(), plan(5));
            await().ignoreExceptionsMatching(failure -> Completions.cause(failure) instanceof TopicConflictException)
                    .until(() -> {
                        new TopicDeletion(queue.scripts(), queue.keySpace(), five).delete("orders");
                        // unless the sweep was quicker
                        return five.shards("orders").join().size() == 5;
                    });
            DelayQueueTemplate sending = DelayQueueTemplate.builder(
                            new RedisMessageStore(queue.scripts(), queue.keySpace(), five),
                            five,
                            QueueOnRedis.codec(),
                            InstantSource.system())
                    .build();
            sending.send("orders", "text");
            assertThat(join(waiting)).hasSize(1);
            assertThat(following.shards("orders").join()).hasSize(5);
            assertThat(join(join(waiting).get(0).acknowledge())).isTrue();
        }
    }

    @Test
    void overdueLeasesAreReclaimedEvenIfNoReceiverWaitsForLong() {
        DefaultDelayQueueReceiver graceful =
                receiver(new ReceiveSettings(SWEEP, SWEEP, 3, 0, CrashLimits.DEFAULTS, Duration.ofMillis(600)));
        send("a", Duration.ZERO);
        graceful.receive("orders", 1, LONG, Duration.ofSeconds(1));
        await().until(() -> tasks.scheduled() == 0);
        await().until(() -> found("a").leaseEnd().isBefore(serverTime()));

        assertThat(graceful.receive("orders", 1, Duration.ZERO, LEASE)).isEmpty();
        int calls = tasks.calls();

        await().until(() -> found("a").state() == MessageState.READY);
        await().until(() -> tasks.scheduled() == 0);
        assertThat(tasks.calls() - calls)
                .as("the task sleeps between polls, also if polls of shards without overdue leases are due")
                .isLessThan(100);
        graceful.close();
    }

    private MessageSnapshot found(String id) {
        return template.find("orders", id).orElseThrow();
    }

    private Instant serverTime() {
        List<?> time = (List<?>) server.command("TIME");
        return Instant.ofEpochSecond(Long.parseLong((String) time.get(0)));
    }
}
