package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.event.EventBus;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerProgress;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.QueueKind;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.template.BatchSendException;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A listener of a topic with several shards. */
@EmbeddedRedis
class ShardedListenerTests {

    private static final Duration STEP = EngineSettings.DEFAULTS.sweep();

    private final RedisServerProcess redis;
    private final Happenings happenings = new Happenings();
    private final List<QueueNode> nodes = new ArrayList<>();
    private final MovableTime time = new MovableTime();

    ShardedListenerTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeEach
    void flush() {
        redis.flush();
    }

    @AfterEach
    void stopNodes() {
        nodes.forEach(QueueNode::close);
    }

    private QueueNode node(int shards) {
        return add(QueueNode.on(redis.port())
                .shards("t", shards)
                .settings(Pacing.quiet().settings()));
    }

    private QueueNode driven() {
        return add(QueueNode.on(redis.port()).time(time));
    }

    private QueueNode add(QueueNode.Builder builder) {
        QueueNode node = builder.events(happenings).start();
        nodes.add(node);
        return node;
    }

    private static ListenerOptions options(int concurrency) {
        return ListenerOptions.DEFAULTS.toBuilder().concurrency(concurrency).build();
    }

    private static List<DelayMessage> messages(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> DelayMessage.to("t").id("m" + i).payload("").build())
                .toList();
    }

    @Test
    void eachMessageOfEachShardIsHandledOnceAndNotMoreAtATimeThanPermitted() {
        int shards = 3;
        int count = 2000;
        Set<String> handled = ConcurrentHashMap.newKeySet();
        AtomicInteger twice = new AtomicInteger();
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        QueueNode node = node(shards);
        node.template.sendAll(messages(0, count / 2));

        node.listen("t", options(3), deliveries -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            deliveries.forEach(delivery -> twice.addAndGet(handled.add(delivery.id()) ? 0 : 1));
            now.decrementAndGet();
            return null;
        });
        node.template.sendAll(messages(count / 2, count));

        await().until(() -> happenings.count("acknowledged") == count);
        assertThat(handled).hasSize(count);
        assertThat(twice).hasValue(0);
        assertThat(most.get()).isLessThanOrEqualTo(3);
        assertThat(usedShards(shards)).isEqualTo(shards);
        assertThat(live(node, shards)).isZero();
    }

    private static long usedShards(int shards) {
        return messages(0, 2000).stream()
                .map(message -> Shard.of("t", message.id(), shards))
                .distinct()
                .count();
    }

    private static long live(QueueNode node, int shards) {
        return shards("t", shards).stream()
                .map(node.store::awaitCount)
                .mapToLong(counts -> counts.scheduled() + counts.ready() + counts.leased())
                .sum();
    }

    private static List<Shard> shards(String topic, int count) {
        return IntStream.range(0, count)
                .mapToObj(index -> new Shard(topic, index, count, QueueKind.MESSAGES))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 50}) // the second is longer than a task waits for a reply
    void shardsTogetherHoldNoMoreThanTheBudget(long replyMillis) throws Exception {
        try (FaultProxy proxy = FaultProxy.inFrontOf(redis)) {
            proxy.delay(Duration.ofMillis(replyMillis));
            shardsHoldNoMoreThanIsHandledAndClaimedAhead(proxy);
        }
    }

    private void shardsHoldNoMoreThanIsHandledAndClaimedAhead(FaultProxy proxy) throws Exception {
        int shards = 16;
        CountDownLatch release = new CountDownLatch(1);
        QueueNode node = node(shards);
        QueueNode listening = add(QueueNode.on(proxy.port())
                .shards("t", shards)
                .settings(Pacing.quiet().settings()));
        node.template.sendAll(messages(0, 500));
        ListenerOptions options =
                ListenerOptions.DEFAULTS.toBuilder().concurrency(4).prefetch(8).build();
        CountDownLatch running = new CountDownLatch(4);

        listening.listen("t", options, deliveries -> {
            running.countDown();
            release.await();
            return null;
        });
        assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
        // one more poll of each shard than without the signal
        for (int i = 0; i < 3; i++) {
            node.template.sendAll(messages(500 + i * 100, 600 + i * 100));
        }
        List<Long> leased = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            leased.add(shards("t", shards).stream()
                    .mapToLong(shard -> node.store.awaitCount(shard).leased())
                    .sum());
        }

        proxy.delay(Duration.ZERO);
        release.countDown();
        assertThat(leased).allSatisfy(count -> assertThat(count).isLessThanOrEqualTo(12));
        await().until(() -> happenings.count("acknowledged") == 800);
        listening.close();
    }

    /** One delivery is handled at a time, and one shard has messages during the whole test. */
    @Test
    void backlogOfOneShardDoesNotBlockAnother() {
        int shards = 4;
        QueueNode node = add(QueueNode.on(redis.port()).shards("t", shards).time(time));
        List<DelayMessage> backlog = new ArrayList<>();
        for (int i = 0; backlog.size() < 1500; i++) {
            if (Shard.of("t", "b" + i, shards).index() == 0) {
                backlog.add(DelayMessage.to("t").id("b" + i).payload("").build());
            }
        }
        List<DelayMessage> others = messages(0, 40).stream()
                .filter(message -> Shard.of("t", message.id(), shards).index() != 0)
                .toList();
        node.template.sendAll(backlog);
        node.template.sendAll(others);
        Set<String> open = ConcurrentHashMap.newKeySet();
        others.forEach(message -> open.add(message.id()));
        AtomicInteger before = new AtomicInteger();
        node.listen(
                "t",
                ListenerOptions.DEFAULTS.toBuilder().concurrency(1).prefetch(20).build(),
                deliveries -> {
                    if (!open.isEmpty()) {
                        before.incrementAndGet();
                        time.awaitTasks(); // each shard that may claim has claimed
                    }
                    deliveries.forEach(delivery -> open.remove(delivery.id()));
                    return null;
                });

        await().until(() -> happenings.count("acknowledged") == backlog.size() + others.size());
        // those of the other shards, as many of the backlog, and the messages claimed before
        assertThat(before.get()).isLessThan(300);
    }

    @Test
    void deadLettersOfEachShardAreNotified() {
        int shards = 3;
        Set<String> notifications = ConcurrentHashMap.newKeySet();
        QueueNode node = node(shards);
        node.container("t", QueueKind.NOTIFICATIONS, options(2), deliveries -> {
                    deliveries.forEach(delivery -> notifications.add(delivery.id()));
                    return null;
                })
                .start();
        await().until(() -> shards("t", shards).stream().allMatch(shard -> isAttended(node, shard)));
        node.listen("t", options(2).toBuilder().maxAttempts(1).build(), deliveries -> {
            throw new IllegalStateException("always");
        });
        node.template.sendAll(messages(0, 60));

        await().until(() -> notifications.size() == 60);
        assertThat(notifications.stream()
                        .map(notification -> Shard.of(
                                        "t", notification.substring(0, notification.lastIndexOf('@')), shards)
                                .index())
                        .collect(Collectors.toSet()))
                .hasSize(shards);
    }

    private boolean isAttended(QueueNode node, Shard shard) {
        String meta = new String(node.keySpace.of(shard).meta(), StandardCharsets.UTF_8);
        return "1".equals(redis.command("HGET", meta, "notifications"));
    }

    @Test
    void stopReleasesTheWaitingDeliveriesOfEachShard() throws Exception {
        int shards = 4;
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        QueueNode node = node(shards);
        node.template.sendAll(messages(0, 40));
        ListenerContainer container = node.listen("t", options(1), deliveries -> {
            running.countDown();
            release.await();
            return null;
        });
        assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();

        CompletableFuture<Void> stopped = container.stop();
        await().until(() -> shards("t", shards).stream()
                        .mapToLong(shard -> node.store.awaitCount(shard).leased())
                        .sum()
                == 1);
        assertThat(stopped).isNotDone();
        release.countDown();
        stopped.get(60, TimeUnit.SECONDS);
        assertThat(live(node, shards)).isEqualTo(39);
    }

    @Test
    void listenerFollowsATopicRegisteredAgainWithAnotherShardCount() {
        QueueNode first = node(2);
        QueueNode listening = driven();
        first.template.send(messages(0, 1).get(0));
        listening.listen("t", options(2), deliveries -> null);
        await().until(() -> happenings.count("acknowledged") == 1);

        QueueNode anew = node(5);
        await().until(() -> registersAnew(anew, messages(1, 101)));

        time.passUntil(STEP, () -> happenings.count("acknowledged") == 101);
    }

    @Test
    void settlementOfADeliveryFromAnEarlierRegistrationFailsWithThisReason() {
        QueueNode first = node(2);
        QueueNode listening = driven();
        AtomicReference<Delivery> held = new AtomicReference<>();
        CompletableFuture<Object> handling = new CompletableFuture<>();
        first.template.send(messages(0, 1).get(0));
        listening.listen("t", options(2), deliveries -> {
            return held.compareAndSet(null, deliveries.get(0)) ? handling : null;
        });
        await().until(() -> held.get() != null);

        QueueNode anew = node(5);
        await().until(() -> registersAnew(anew, messages(1, 3)));
        time.passUntil(STEP, () -> happenings.count("acknowledged") == 2);

        assertThat(held.get().acknowledgement().acknowledge())
                .failsWithin(Duration.ofSeconds(60))
                .withThrowableThat()
                .withMessageContaining("Topic t was registered again");
        handling.complete(null);
    }

    /** Empties Redis and sends, unless the running listener was faster and registered the topic with the earlier count. */
    private boolean registersAnew(QueueNode node, List<DelayMessage> messages) {
        redis.flush();
        try {
            node.template.sendAll(messages);
            return true;
        } catch (BatchSendException rejected) {
            return false;
        }
    }

    @Test
    void retentionForgetsTheShardsOfAnEarlierRegistration() throws Exception {
        QueueNode first = node(2);
        first.template.send(messages(0, 1).get(0));
        Set<Shard> pruned = ConcurrentHashMap.newKeySet();
        pruned.addAll(shards("t", 2));
        RetentionTask retention = new RetentionTask(
                first.store, pruned, Pacing.quiet().settings(), new EventBus(List.of()), System::nanoTime);
        retention.run();
        assertThat(pruned).hasSize(2);

        redis.flush();
        QueueNode anew = node(5);
        anew.template.send(messages(1, 2).get(0));
        pruned.addAll(shards("t", 5));
        new RetentionTask(anew.store, pruned, Pacing.quiet().settings(), new EventBus(List.of()), System::nanoTime)
                .run();

        assertThat(pruned).containsExactlyInAnyOrderElementsOf(shards("t", 5));
    }

    @Test
    void listenerWithAnotherShardCountReportsItAndChangesNothing() {
        node(3).template.sendAll(messages(0, 10));
        Set<String> keys = keys();
        QueueNode mistaken = add(QueueNode.on(redis.port())
                .plan(new ShardPlan(Map.of("t", 4), ShardPlan.OnConflict.FAIL))
                .settings(Pacing.builtIn().settings()));

        ListenerContainer container = mistaken.listen("t", options(1), deliveries -> null);

        await().until(() -> container.progress().failure() != null);
        ListenerProgress progress = container.progress();
        assertThat(progress.failure())
                .hasMessageContaining("t")
                .hasMessageContaining("3")
                .hasMessageContaining("4");
        assertThat(keys()).isEqualTo(keys);
    }

    private Set<String> keys() {
        Set<String> keys = new HashSet<>();
        ((List<?>) redis.command("KEYS", "*")).forEach(key -> keys.add(key.toString()));
        return keys;
    }
}
