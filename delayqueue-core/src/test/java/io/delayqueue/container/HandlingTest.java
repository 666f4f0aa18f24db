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
import io.delayqueue.store.bench.ServerClock;
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
    static final Duration STEP = Duration.ofSeconds(1);
    static final ListenerOptions QUICK = ListenerOptions.DEFAULTS.toBuilder()
            .retryPolicy(new Backoff.Fixed(Duration.ofMillis(10)))
            .maxAttempts(3)
            .build();

    final RedisServerProcess redis;
    final Happenings happenings = new Happenings();
    final ServerClock clock;
    final MovableTime time;
    QueueNode node;

    HandlingTest(RedisServerProcess redis) {
        this.redis = redis;
        clock = new ServerClock(redis);
        time = new MovableTime(clock);
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
        return start(builder().interceptors(interceptors));
    }

    /** A node with the default settings, whose tasks run by the movable time. */
    final QueueNode.Builder builder() {
        return QueueNode.on(redis.port())
                .events(happenings)
                .scripts(clock::over)
                .time(time);
    }

    /** Replaces the node. */
    final QueueNode start(QueueNode.Builder builder) {
        if (node != null) {
            node.close();
        }
        node = builder.start();
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
        Awaitility.await().until(() -> happenings.count(happening) >= times);
    }

    final void awaitWhileTimePasses(String happening, int times) {
        time.passUntil(STEP, () -> happenings.count(happening) >= times);
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
