package io.delayqueue.proof;

import io.delayqueue.container.QueueNode;
import io.delayqueue.test.redis.topology.RedisSentinelProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The master is killed and Sentinel promotes a replica. */
@Timeout(150)
@Tag("long")
@Tag("core")
class SentinelFailoverTests {

    private static final int SHARDS = 2;

    private final RedisSentinelProcess redis =
            RedisSentinelProcess.builder().downAfter(Failover.DETECTION_TIME).start();

    private final Fleet fleet =
            new Fleet(() -> QueueNode.on(RedisSentinelProcess.MASTER_NAME, redis.addresses()), SHARDS);

    @AfterEach
    void close() {
        fleet.close();
        redis.close();
    }

    @Test
    void queueRecovers() {
        fleet.startConsumers();
        fleet.load.start(fleet.startNode(), shard -> true);
        new Failover(fleet, shard -> true)
                .killUnderLoad(5000, redis::killMaster)
                .checkLosses();
    }
}
