package io.delayqueue.container;

import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.listener.Backoff;
import io.delayqueue.listener.DeliveryHandler;
import io.delayqueue.listener.DeliveryInterceptor;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.QueueKind;
import io.delayqueue.redis.Await;
import io.delayqueue.store.DeadLetterQuery;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;

/** Base of tests of handling: a topic, a node, and quick retries. */
abstract class HandlingTest extends NodeTest {

    static final ListenerOptions QUICK = ListenerOptions.DEFAULTS.toBuilder()
            .retryPolicy(new Backoff.Fixed(Duration.ofMillis(10)))
            .maxAttempts(3)
            .build();

    QueueNode node;

    HandlingTest(RedisServerProcess redis) {
        super(redis);
    }

    @BeforeEach
    void startNode() {
        node = add(driven());
    }

    /** Replaces the node by one with these interceptors. */
    final void with(DeliveryInterceptor... interceptors) {
        replace(driven().interceptors(interceptors));
    }

    final void replace(QueueNode.Builder builder, DelayQueueEvents... others) {
        stopNodes();
        node = add(builder, others);
    }

    /** Starts a listener of dead letters. */
    final ListenerContainer listenToDeadLetters(DeliveryHandler handler) {
        ListenerContainer container = node.container("t", QueueKind.NOTIFICATIONS, QUICK, handler);
        container.start();
        Awaitility.await().until(() -> redis.command("HGET", "dq:{t:0.0}:meta", "notifications") != null);
        return container;
    }

    final void listen(ListenerOptions options, DeliveryHandler handler) {
        node.listen("t", options, handler);
    }

    final void send(String... ids) {
        node.template.sendAll(List.of(ids).stream()
                .map(id ->
                        DelayMessage.to("t").id(id).payload("payload of " + id).build())
                .toList());
    }

    final void await(String happening) {
        awaitTimes(happening, 1);
    }

    final void awaitTimes(String happening, int times) {
        Awaitility.await().until(() -> happenings.count(happening) >= times);
    }

    final DeadLetter deadLetterOf(String id) {
        return deadLetters().stream()
                .filter(deadLetter -> deadLetter.messageId().equals(id))
                .findFirst()
                .orElseThrow();
    }

    final List<DeadLetter> deadLetters() {
        return Await.result(node.store.deadLetters(SHARD, new DeadLetterQuery.Page(null, 0, 100)));
    }
}
