package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.QueueNode;
import io.delayqueue.message.Shard;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.test.redis.topology.RedisClusterProcess;
import java.time.Duration;
import java.util.List;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Network faults between the nodes and Redis, under load. */
@Timeout(120)
@Tag("long")
@Tag("core")
class NetworkFaultTests {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final int SHARDS = 3;

    private final RedisClusterProcess cluster =
            RedisClusterProcess.builder().replicasPerMaster(0).proxied().start();
    private final Fleet fleet =
            new Fleet(() -> QueueNode.on(cluster.addresses()).commandTimeout(TIMEOUT), SHARDS);

    @AfterEach
    void close() {
        fleet.close();
        cluster.close();
    }

    /** One Redis is tested by {@code LongOutageTests}. */
    @ParameterizedTest
    @EnumSource
    void queueRecoversByItselfFromEachFaultOfOneMaster(NetworkFault fault) {
        fleet.startConsumers();
        List<RedisServerProcess> masters = Shard.all(Load.TOPIC, SHARDS).stream()
                .map(shard ->
                        cluster.masterOf(fleet.firstNode().keySpace.of(shard).meta()))
                .toList();
        RedisServerProcess master = cluster.masters().get(1);
        IntPredicate affected = index -> masters.get(index).equals(master);
        fleet.load.start(fleet.startNode(), affected);
        fleet.load.start(fleet.startNode(), affected.negate());
        fleet.awaitDeliveries(affected, System.nanoTime(), 100);

        long begun = System.nanoTime();
        fault.applyTo(cluster.proxyOf(master));
        if (!fault.failsSends()) {
            fleet.awaitDeliveries(affected, begun, 100);
        } else if (!fault.isPermanent()) {
            await().atMost(Duration.ofSeconds(30)).until(() -> !fleet.load.failures.isEmpty());
        }
        long ended = System.nanoTime();
        if (!fault.isPermanent()) {
            cluster.proxyOf(master).pass();
        }
        fleet.awaitDeliveries(affected, ended + (fault.isPermanent() ? TIMEOUT.toNanos() : 0), 100);
        fleet.drainAndClose();
        fleet.check();
        assertThat(fleet.load.failures).noneMatch(failure -> failure.startsWith("duplicate"));
        if (!fault.failsSends()) {
            assertThat(fleet.load.failures).isEmpty();
        }
    }
}
