package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.container.QueueNode;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.test.redis.RedisServerProcess;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Redis is killed and restarted under load while listeners are stopped and started. */
@Timeout(180)
@Tag("long")
@Tag("core")
class KilledRedisTests {

    private final RedisServerProcess redis =
            RedisServerProcess.builder().appendOnly().start();
    private final Fleet fleet = new Fleet(() -> QueueNode.on(redis.port()), 1);

    @AfterEach
    void close() {
        fleet.close();
        redis.close();
    }

    @Test
    void noMessageIsLostSettledTwiceOrRejectedAlthoughItIsStored() {
        List<ManagedListener> listeners = fleet.startConsumers();
        fleet.load.start(fleet.startNode(), shard -> true);
        for (int kill = 0; kill < 4; kill++) {
            fleet.awaitDeliveries(shard -> true, System.nanoTime(), 500);
            redis.kill();
            redis.restart();
            ManagedListener listener = listeners.get(kill % 2);
            listener.stop().join();
            listener.start();
        }
        fleet.awaitDeliveries(shard -> true, System.nanoTime(), 500);
        fleet.drainAndClose();
        fleet.check();
        assertThat(fleet.load.failures).noneMatch(failure -> failure.startsWith("duplicate"));
    }
}
