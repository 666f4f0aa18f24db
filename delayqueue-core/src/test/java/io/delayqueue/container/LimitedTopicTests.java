package io.delayqueue.container;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.receive.LeasedDelivery;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.ShardLimits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Listeners and receivers of a topic that is limited or held, on two nodes. */
class LimitedTopicTests extends NodeTest {

    private static final ListenerOptions EIGHT = ListenerOptions.DEFAULTS.toBuilder()
            .concurrency(8)
            .lease(Duration.ofHours(1))
            .build();

    private QueueNode one;
    private QueueNode other;

    LimitedTopicTests(RedisServerProcess redis) {
        super(redis);
    }

    @BeforeEach
    void startNodes() {
        // no sweep and no lease that ends helps: only signals and due times cause polls
        one = add(QueueNode.on(redis.port()).settings(Pacing.quiet().settings()));
        other = add(QueueNode.on(redis.port()).settings(Pacing.quiet().settings()));
        one.template.send(DelayMessage.to("t")
                .id("later")
                .payload("")
                .delay(Duration.ofHours(1))
                .build());
    }

    private void limit(String limits) {
        redis.command(ShardLimits.command("dq:{t:0.0}:meta", limits));
    }

    private void send(int count) {
        for (int from = 0; from < count; from += 500) {
            one.template.sendAll(IntStream.range(from, Math.min(count, from + 500))
                    .mapToObj(i -> message("t", "m" + i))
                    .toList());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void neverMoreAreHandledAtOnceThanPermittedByAllNodes(int limit) {
        limit(limit + " 0 1 0");
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        for (QueueNode node : List.of(one, other)) {
            node.listen("t", EIGHT, deliveries -> {
                most.accumulateAndGet(now.addAndGet(deliveries.size()), Math::max);
                now.addAndGet(-deliveries.size());
                if (deliveries.get(0).id().endsWith("7") && deliveries.get(0).attempt() == 1) {
                    throw new IllegalStateException("on purpose");
                }
                return null;
            });
        }
        send(2000);
        await().until(() -> happenings.count("acknowledged") == 2000);
        assertThat(most.get()).isBetween(1, limit);
    }

    @Test
    void aBatchHasNoMoreMessagesThanPermitted() {
        limit("3 0 1 0");
        ConcurrentLinkedQueue<Integer> sizes = new ConcurrentLinkedQueue<>();
        send(30);
        one.listen("t", EIGHT.toBuilder().concurrency(1).batchSize(10).build(), deliveries -> {
            sizes.add(deliveries.size());
            return null;
        });
        await().until(() -> happenings.count("acknowledged") == 30);
        assertThat(sizes).allMatch(size -> size <= 3);
    }

    @Test
    void nothingIsClaimedInAdvance() {
        limit("100 0 1 0");
        Semaphore handled = new Semaphore(0);
        send(100);
        one.listen("t", EIGHT, deliveries -> {
            handled.acquire();
            return null;
        });
        await().until(() -> leases() == 8);
        other.listen("t", EIGHT, deliveries -> {
            handled.acquire();
            return null;
        });
        await().until(() -> leases() == 16);
        handled.release(100);
        await().until(() -> happenings.count("acknowledged") == 100);
    }

    private long leases() {
        return Long.parseLong(String.valueOf(redis.command("ZCARD", "dq:{t:0.0}:leases"))) - 1;
    }

    @Test
    void aPlaceThatOneNodeGivesBackIsTakenByAnother() {
        limit("1 0 1 0");
        CountDownLatch first = new CountDownLatch(1);
        ListenerContainer listener =
                one.listen("t", EIGHT.toBuilder().concurrency(1).build(), deliveries -> {
                    first.await();
                    return null;
                });
        send(1);
        await().until(() -> leases() == 1);
        other.listen("t", EIGHT, deliveries -> null);
        send("waits");
        listener.pause();
        first.countDown();
        await().until(() -> happenings.count("acknowledged waits") == 1);
    }

    private void send(String id) {
        other.template.send(message("t", id));
    }

    @Test
    void aCancelGivesThePlaceToAnother() {
        limit("1 0 1 0");
        CountDownLatch end = new CountDownLatch(1);
        one.listen("t", EIGHT, deliveries -> {
            if (deliveries.get(0).id().equals("m0")) {
                end.await();
            }
            return null;
        });
        send(1);
        await().until(() -> leases() == 1);
        send("waits");
        other.template.cancel("t", "m0");
        await().until(() -> happenings.count("acknowledged waits") == 1);
        end.countDown();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void receiversWaitForAPlace(boolean sameNode) {
        limit("1 0 1 0");
        send(2);
        QueueNode waits = sameNode ? one : other;
        List<LeasedDelivery> first = one.receiver.receive("t", 2, Duration.ZERO);
        assertThat(first).hasSize(1);
        assertThat(waits.receiver.receive("t", 2, Duration.ZERO)).isEmpty();
        CompletableFuture<List<LeasedDelivery>> waiting = waits.receiver.receiveAsync("t", 2, Duration.ofMinutes(1));
        first.get(0).acknowledge().join();
        assertThat(waiting.join()).hasSize(1);
    }

    /** The node has one thread for the polls of both topics. */
    @ParameterizedTest
    @ValueSource(strings = {"1 0 1 0", "0 3600000000 1 0", "hold"})
    void aTopicThatIsHeldBackTakesNothingFromAnother(String limits) {
        AtomicInteger polls = new AtomicInteger();
        QueueNode both = add(QueueNode.on(redis.port())
                .settings(Pacing.quiet().taskThreads(1).settings())
                .scripts(runner -> call -> {
                    if (call.script().name().equals("poll")
                            && new String(call.keys().get(0), UTF_8).contains("{t:0.0}")) {
                        polls.incrementAndGet();
                    }
                    return runner.run(call);
                }));
        boolean hold = limits.equals("hold");
        if (!hold) {
            limit(limits);
        }
        send(2000);
        both.listen("t", EIGHT.toBuilder().concurrency(1).build(), deliveries -> {
            if (hold) {
                deliveries.get(0).acknowledgement().holdTopic(Duration.ofHours(1));
            }
            release.await();
            return null;
        });
        await().until(() -> happenings.count(hold ? "released" : "started") == 1);
        both.listen("other", EIGHT, deliveries -> null);
        one.template.send(message("other", "first"));
        await().until(() -> happenings.count("acknowledged first") == 1);

        assertThat(polls.getAndSet(0)).isPositive();
        for (int i = 0; i < 1000; i++) {
            one.template.send(message("other", "m" + i));
        }
        await().until(() -> happenings.count("acknowledged m") == 1000);
        assertThat(polls).hasValue(0);
    }

    @Test
    void aHoldAppliesToAllNodesAndCountsNoAttempt() {
        ConcurrentLinkedQueue<Integer> attempts = new ConcurrentLinkedQueue<>();
        send("held");
        one.listen("t", EIGHT, deliveries -> {
            Acknowledgement acknowledgement = deliveries.get(0).acknowledgement();
            attempts.add(deliveries.get(0).attempt());
            return attempts.size() == 1 ? acknowledgement.holdTopic(Duration.ofMillis(300)) : null;
        });
        await().until(() -> happenings.count("acknowledged held") == 1);
        assertThat(attempts).containsExactly(1, 1);
    }

    @Test
    void aHoldOutOfRangeAndOneOfATopicWithShardsAreRejected() {
        send(1);
        LeasedDelivery delivery = one.receiver.receive("t", 1, Duration.ZERO).get(0);
        assertThatThrownBy(() -> delivery.holdTopic(Duration.ZERO))
                .hasMessage("time must be from 1 ms to 1 h, but was 0 s");
        assertThatThrownBy(() -> delivery.holdTopic(Duration.ofMinutes(61)))
                .hasMessage("time must be from 1 ms to 1 h, but was 1 h 1 min");
        assertThat(delivery.acknowledge().join()).isTrue();

        QueueNode sharded = add(QueueNode.on(redis.port()).shards("sharded", 2));
        sharded.template.send(message("sharded", "m"));
        LeasedDelivery sharding =
                sharded.receiver.receive("sharded", 1, Duration.ofMinutes(1)).get(0);
        assertThatThrownBy(() -> sharding.holdTopic(Duration.ofSeconds(1)))
                .hasMessage(
                        "Topic sharded cannot be held: it has 2 shards. Postpone the message, or use a topic with one shard");
        assertThatThrownBy(() -> sharded.receiver
                        .leases()
                        .holdTopic(sharding.receipt(), Duration.ofSeconds(1))
                        .join())
                .hasRootCauseInstanceOf(IllegalArgumentException.class);
        assertThat(sharding.acknowledge().join()).isTrue();
    }
}
