package io.delayqueue.container;

import io.delayqueue.redis.FirstConnection;
import io.delayqueue.test.redis.RedisServerProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Nodes on one Redis, which is empty at first; they are closed in the end, when handlers that wait were let go. */
abstract class NodeTest {

    final RedisServerProcess redis;
    final Happenings happenings = new Happenings();
    final List<QueueNode> nodes = new ArrayList<>();
    final CountDownLatch release = new CountDownLatch(1);

    NodeTest(RedisServerProcess redis) {
        this.redis = redis;
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
    }

    QueueNode add(QueueNode.Builder builder) {
        QueueNode node = builder.events(happenings).start();
        nodes.add(node);
        return node;
    }
}
