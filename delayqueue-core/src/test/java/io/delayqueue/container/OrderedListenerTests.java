package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.RetryDecision.RetryAfter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard.Keys;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.TopicDeletion;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Listeners and senders of an ordered topic. */
class OrderedListenerTests extends NodeTest {

    private static final int KEYS = 20;
    private static final int MESSAGES = 2000;

    OrderedListenerTests(RedisServerProcess redis) {
        super(redis);
    }

    private QueueNode node(Map<String, Keys> keys, ShardPlan.OnConflict onConflict) {
        return add(QueueNode.on(redis.port())
                .plan(new ShardPlan(Map.of(), keys, onConflict))
                .settings(Pacing.quiet().settings()));
    }

    private QueueNode ordered() {
        return node(Map.of("t", Keys.ORDERED), ShardPlan.OnConflict.FAIL);
    }

    private static DelayMessage message(int i) {
        return DelayMessage.to("t").id("m" + i).key("k" + i % KEYS).payload("x").build();
    }

    private static DelayMessage plain() {
        return DelayMessage.to("t").payload("x").build();
    }

    @Test
    void handlersOfAKeyRunOneAtATimeAndInOrderAlsoAfterFailures() {
        Map<Integer, List<Integer>> handled = new ConcurrentHashMap<>();
        Set<Integer> running = ConcurrentHashMap.newKeySet();
        Set<Integer> failed = ConcurrentHashMap.newKeySet();
        List<Integer> overlaps = new ArrayList<>();
        QueueNode node = ordered();
        node.template.sendAll(IntStream.range(0, MESSAGES / 2)
                .mapToObj(OrderedListenerTests::message)
                .toList());
        ListenerOptions options = ListenerOptions.DEFAULTS.toBuilder()
                .concurrency(8)
                .retryPolicy(failedAttempt -> new RetryAfter(Duration.ZERO))
                .build();

        node.listen("t", options, deliveries -> {
            int number = Integer.parseInt(deliveries.get(0).id().substring(1));
            int key = number % KEYS;
            if (!running.add(key)) {
                synchronized (overlaps) {
                    overlaps.add(number);
                }
            }
            try {
                if (number % 7 == 0 && failed.add(number)) {
                    throw new IllegalStateException("on purpose");
                }
                handled.computeIfAbsent(key, any -> new ArrayList<>()).add(number);
            } finally {
                running.remove(key);
            }
            return null;
        });
        node.template.sendAll(IntStream.range(MESSAGES / 2, MESSAGES)
                .mapToObj(OrderedListenerTests::message)
                .toList());

        await().until(() -> happenings.count("acknowledged") == MESSAGES);
        assertThat(overlaps).isEmpty();
        assertThat(handled).hasSize(KEYS);
        assertThat(handled.values())
                .allSatisfy(
                        numbers -> assertThat(numbers).hasSize(MESSAGES / KEYS).isSorted());
    }

    @Test
    void anOrderedTopicRejectsAMessageWithoutAKey() {
        assertThatThrownBy(() -> ordered().template.send(plain()))
                .isInstanceOf(DelayQueueException.class)
                .hasMessageContaining("it has no key, but topic t is ordered (keys=ordered)");
    }

    @Test
    void aTopicWithoutKeysRejectsAKey() {
        QueueNode node = node(Map.of(), ShardPlan.OnConflict.FAIL);

        assertThatThrownBy(() -> node.template.send(message(1)))
                .isInstanceOf(DelayQueueException.class)
                .hasMessageContaining("it has a key, but topic t is registered without keys");
        node.template.send(plain());
    }

    @Test
    void aSenderWithoutThePropertyFollowsTheRegistration() {
        ordered().template.send(message(1));

        node(Map.of(), ShardPlan.OnConflict.FAIL).template.send(message(2));
        node(Map.of("t", Keys.NONE), ShardPlan.OnConflict.FOLLOW).template.send(message(3));
    }

    @Test
    void aSenderWithAnotherPropertyIsRejected() {
        ordered().template.send(message(1));

        assertThatThrownBy(() -> node(Map.of("t", Keys.NONE), ShardPlan.OnConflict.FAIL)
                        .template
                        .send(plain()))
                .isInstanceOf(DelayQueueException.class)
                .hasMessageContaining("registered with keys=ordered, but delayqueue.topics[t].keys is none");
    }

    @Test
    void anEmptyTopicCanBeRegisteredAnewWithOtherKeys() {
        QueueNode before = ordered();
        before.template.send(message(1));
        before.template.cancel("t", "m1");
        assertThat(new TopicDeletion(before.scripts, before.keySpace, before.registry).delete("t"))
                .isTrue();
        QueueNode after = node(Map.of("t", Keys.NONE), ShardPlan.OnConflict.FAIL);

        after.template.send(plain());
        assertThatThrownBy(
                        () -> node(Map.of(), ShardPlan.OnConflict.FAIL).template.send(message(2)))
                .hasMessageContaining("registered without keys");
    }
}
