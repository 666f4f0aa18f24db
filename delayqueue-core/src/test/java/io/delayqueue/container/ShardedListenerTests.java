package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerProgress;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.template.BatchSendException;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A listener of a topic with several shards. */
class ShardedListenerTests extends NodeTest {

    ShardedListenerTests(RedisServerProcess redis) {
        super(redis);
    }

    private QueueNode node(int shards) {
        return add(QueueNode.on(redis.port())
                .shards("t", shards)
                .settings(Pacing.quiet().settings()));
    }

    private static ListenerOptions options(int concurrency) {
        return ListenerOptions.DEFAULTS.toBuilder().concurrency(concurrency).build();
    }

    private static List<DelayMessage> messages(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> message("t", "m" + i)).toList();
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
        assertThat(Shard.all("t", shards))
                .extracting(shard -> Await.result(node.store.count(shard)).counts())
                .allMatch(counts -> counts.scheduled() + counts.ready() + counts.leased() == 0);
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
            leased.add(Shard.all("t", shards).stream()
                    .mapToLong(shard ->
                            Await.result(node.store.count(shard)).counts().leased())
                    .sum());
        }

        proxy.delay(Duration.ZERO);
        release.countDown();
        assertThat(leased).allSatisfy(count -> assertThat(count).isLessThanOrEqualTo(12));
        await().until(() -> happenings.count("acknowledged") == 800);
        listening.close();
    }

    @Test
    void listenerFollowsATopicRegisteredAgainWithAnotherShardCount() {
        QueueNode first = node(2);
        QueueNode listening = add(driven());
        first.template.send(messages(0, 1).get(0));
        listening.listen("t", options(2), deliveries -> null);
        await().until(() -> happenings.count("acknowledged") == 1);

        QueueNode anew = node(5);
        await().until(() -> registersAnew(anew, messages(1, 101)));

        time.passUntil(STEP, () -> happenings.count("acknowledged") == 101);
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
