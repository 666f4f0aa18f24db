package io.delayqueue.container;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard.Keys;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.ShardLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Listeners, receivers and senders of a fair topic. */
class FairListenerTests extends NodeTest {

    private static final int BUSY = 300;
    private static final int SMALL = 20;

    FairListenerTests(RedisServerProcess redis) {
        super(redis);
    }

    private QueueNode node(Map<String, Keys> keys) {
        return add(QueueNode.on(redis.port())
                .plan(new ShardPlan(Map.of(), keys, ShardPlan.OnConflict.FAIL))
                .settings(Pacing.quiet().settings()));
    }

    private QueueNode fair() {
        return node(Map.of("t", Keys.FAIR));
    }

    private static DelayMessage keyed(String id, @Nullable String key) {
        DelayMessage.Builder message = DelayMessage.to("t").id(id).payload("x");
        return key == null ? message.build() : message.key(key).build();
    }

    private static List<DelayMessage> busy(@Nullable String key) {
        return IntStream.range(0, BUSY).mapToObj(i -> keyed("b" + i, key)).toList();
    }

    /** The ids in the order in which a listener with one handler gets them, when all messages are handled. */
    private List<String> handled(QueueNode node, int messages) {
        List<String> ids = Collections.synchronizedList(new ArrayList<>());
        node.listen("t", ListenerOptions.DEFAULTS.toBuilder().concurrency(1).build(), deliveries -> {
            ids.add(deliveries.get(0).id());
            return null;
        });
        await().until(() -> happenings.count("acknowledged") == messages);
        return List.copyOf(ids);
    }

    /** How many messages of the busy key are handled before the last small one. */
    private static long busyBeforeTheLastSmallOne(List<String> ids) {
        int last = IntStream.range(0, ids.size())
                .filter(i -> ids.get(i).startsWith("s"))
                .max()
                .orElseThrow();
        return ids.subList(0, last).stream().filter(id -> id.startsWith("b")).count();
    }

    @Test
    void aBusyKeyDelaysNoOther() {
        QueueNode node = fair();
        node.template.sendAll(busy("busy"));
        node.template.sendAll(IntStream.range(0, SMALL)
                .mapToObj(i -> keyed("s" + i, "small" + i))
                .toList());

        List<String> ids = handled(node, BUSY + SMALL);
        assertThat(ids).hasSize(BUSY + SMALL).doesNotHaveDuplicates();
        assertThat(busyBeforeTheLastSmallOne(ids)).isLessThan(10);
    }

    @Test
    void messagesWithoutAKeyShareOne() {
        QueueNode node = fair();
        node.template.sendAll(busy(null));
        node.template.sendAll(
                Stream.of("s0", "s1", "s2").map(id -> keyed(id, "small")).toList());

        assertThat(busyBeforeTheLastSmallOne(handled(node, BUSY + 3))).isLessThan(10);
    }

    @Test
    void messagesOfAKeyAreHandledAtOnce() {
        QueueNode node = fair();
        CompletableFuture<?> second = new CompletableFuture<>();
        node.listen("t", ListenerOptions.DEFAULTS.toBuilder().concurrency(2).build(), deliveries -> {
            if (deliveries.get(0).id().equals("b0")) {
                second.join();
            } else {
                second.complete(null);
            }
            return null;
        });
        node.template.sendAll(busy("busy").subList(0, 2));

        await().until(() -> happenings.count("acknowledged") == 2);
    }

    /** The first handlers wait until each key has reached its limit. */
    @Test
    void neverMoreOfAKeyAreHandledAtOnceThanItsLimit() {
        List<QueueNode> nodes = List.of(fair(), fair());
        QueueNode sender = nodes.get(0);
        sender.template.sendAll(busy("busy").subList(0, 200));
        sender.template.sendAll(
                IntStream.range(0, 200).mapToObj(i -> keyed("s" + i, "small")).toList());
        redis.command(ShardLimits.command("dq:{t:0.0}:meta", "0 0 1 0 2"));
        CompletableFuture<?> limitsReached = new CompletableFuture<>();
        Map<Character, AtomicInteger> running = Map.of('b', new AtomicInteger(), 's', new AtomicInteger());
        Map<Character, Integer> most = new ConcurrentHashMap<>();
        ListenerOptions options =
                ListenerOptions.DEFAULTS.toBuilder().concurrency(4).build();
        nodes.forEach(node -> node.listen("t", options, deliveries -> {
            char key = deliveries.get(0).id().charAt(0);
            most.merge(key, requireNonNull(running.get(key)).incrementAndGet(), Math::max);
            if (running.values().stream().mapToInt(AtomicInteger::get).sum() == 4) {
                limitsReached.complete(null);
            }
            limitsReached.join();
            requireNonNull(running.get(key)).decrementAndGet();
            return null;
        }));

        await().until(() -> happenings.count("acknowledged") == 400);
        assertThat(most).isEqualTo(Map.of('b', 2, 's', 2));
    }

    @Test
    void receiversGetTheMessagesOfAllKeysInTurn() {
        QueueNode node = fair();
        node.template.sendAll(busy("busy"));
        node.template.sendAll(List.of(keyed("s0", "a"), keyed("s1", "a"), keyed("s2", "z"), keyed("s3", null)));
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            node.receiver.receive("t", 1, Duration.ZERO).forEach(delivery -> {
                ids.add(delivery.id());
                delivery.acknowledge();
            });
        }

        assertThat(ids).hasSize(10).contains("s0", "s1", "s2", "s3");
    }

    @Test
    void aSenderFollowsTheRegistration() {
        fair().template.send(keyed("b0", "busy"));

        QueueNode other = node(Map.of());
        other.template.send(keyed("b1", null));
        assertThatThrownBy(() -> node(Map.of("t", Keys.ORDERED)).template.send(keyed("b2", "busy")))
                .isInstanceOf(DelayQueueException.class)
                .hasMessageContaining("registered with keys=fair, but delayqueue.topics[t].keys is ordered");
    }
}
