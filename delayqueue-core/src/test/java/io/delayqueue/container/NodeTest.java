package io.delayqueue.container;

import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.FirstConnection;
import io.delayqueue.store.bench.ServerClock;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Nodes on one Redis, which is empty at first; they are closed in the end, when handlers that wait were let go. */
@EmbeddedRedis
abstract class NodeTest {

    static final Shard SHARD = Shard.single("t");
    /** Less than the time until the renewal of a lease. */
    static final Duration STEP = EngineSettings.DEFAULTS.sweep();

    final RedisServerProcess redis;
    final Happenings happenings = new Happenings();
    final List<QueueNode> nodes = new ArrayList<>();
    final CountDownLatch release = new CountDownLatch(1);
    final ServerClock clock;
    final MovableTime time;

    NodeTest(RedisServerProcess redis) {
        this.redis = redis;
        clock = new ServerClock(redis);
        time = new MovableTime(clock);
    }

    @BeforeEach
    void flush() {
        FirstConnection.make(redis.port());
        redis.flush();
    }

    @AfterEach
    void stopNodes() {
        release.countDown();
        nodes.forEach(QueueNode::close);
        nodes.clear();
    }

    final QueueNode add(QueueNode.Builder builder, DelayQueueEvents... others) {
        DelayQueueEvents[] events = Arrays.copyOf(others, others.length + 1);
        events[others.length] = happenings;
        QueueNode node = builder.events(events).start();
        nodes.add(node);
        return node;
    }

    /** A node whose tasks and scripts run by the movable time. */
    final QueueNode.Builder driven() {
        return QueueNode.on(redis.port()).scripts(clock::over).time(time);
    }

    final void awaitWhileTimePasses(String happening, int times) {
        time.passUntil(STEP, () -> happenings.count(happening) >= times);
    }

    static DelayMessage message(String topic, String id) {
        return DelayMessage.to(topic).id(id).payload("").build();
    }
}
