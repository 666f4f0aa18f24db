package io.delayqueue.container;

import io.delayqueue.listener.Backoff;
import io.delayqueue.listener.DeliveryHandler;
import io.delayqueue.listener.DeliveryInterceptor;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.FirstConnection;
import io.delayqueue.store.DeadLetterQuery;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Base of tests of handling: a topic, a node, and quick retries. */
@EmbeddedRedis
abstract class HandlingTest {

    static final Shard SHARD = Shard.single("t");
    static final ListenerOptions QUICK = ListenerOptions.DEFAULTS.toBuilder()
            .retryPolicy(new Backoff.Fixed(Duration.ofMillis(10)))
            .maxAttempts(3)
            .build();

    final RedisServerProcess redis;
    final Happenings happenings = new Happenings();
    QueueNode node;

    HandlingTest(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeEach
    void startNode() {
        FirstConnection.make(redis.port());
        redis.flush();
        node = with();
    }

    @AfterEach
    void stopNode() {
        node.close();
    }

    /** Replaces the node by one with these interceptors. */
    final QueueNode with(DeliveryInterceptor... interceptors) {
        if (node != null) {
            node.close();
        }
        node = QueueNode.on(redis.port())
                .settings(Pacing.builtIn().settings())
                .events(happenings)
                .interceptors(interceptors)
                .start();
        return node;
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
        Awaitility.await().pollInterval(Duration.ofMillis(5)).until(() -> happenings.count(happening) >= times);
    }

    final DeadLetter deadLetterOf(String id) {
        return deadLetters().stream()
                .filter(deadLetter -> deadLetter.messageId().equals(id))
                .findFirst()
                .orElseThrow();
    }

    final List<DeadLetter> deadLetters() {
        return node.store.awaitDeadLetters(SHARD, new DeadLetterQuery.Page(null, 0, 100));
    }
}
