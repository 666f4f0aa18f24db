package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.QueueNode;
import io.delayqueue.message.Shard;
import io.delayqueue.test.redis.FaultProxy;
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

    private Fleet fleet;
    private IntPredicate affected = shard -> true;

    @AfterEach
    void close() {
        if (fleet != null) {
            fleet.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void queueRecoversByItselfFromEachFault(NetworkFault fault) {
        onOneRedis(fault);
    }

    @ParameterizedTest
    @EnumSource
    void queueRecoversByItselfFromEachFaultOfOneMaster(NetworkFault fault) {
        onCluster(fault);
    }

    private void onOneRedis(NetworkFault fault) {
        try (RedisServerProcess redis = RedisServerProcess.start();
                FaultProxy proxy = FaultProxy.inFrontOf(redis)) {
            fleet = new Fleet(() -> QueueNode.on(proxy.port()).commandTimeout(TIMEOUT), SHARDS);
            fleet.startConsumers();
            fleet.load.start(fleet.startNode(), shard -> true);
            runUnderLoad(fault, proxy);
        }
    }

    private void onCluster(NetworkFault fault) {
        try (RedisClusterProcess cluster =
                RedisClusterProcess.builder().replicasPerMaster(0).proxied().start()) {
            fleet = new Fleet(() -> QueueNode.on(cluster.addresses()).commandTimeout(TIMEOUT), SHARDS);
            fleet.startConsumers();
            List<RedisServerProcess> masters = Shard.all(Load.TOPIC, SHARDS).stream()
                    .map(shard -> cluster.masterOf(
                            fleet.firstNode().keySpace.of(shard).meta()))
                    .toList();
            RedisServerProcess master = cluster.masters().get(1);
            affected = index -> masters.get(index).equals(master);
            fleet.load.start(fleet.startNode(), affected);
            fleet.load.start(fleet.startNode(), affected.negate());
            runUnderLoad(fault, cluster.proxyOf(master));
        }
    }

    private void runUnderLoad(NetworkFault fault, FaultProxy proxy) {
        awaitDelivered(System.nanoTime(), 100);
        long begun = System.nanoTime();
        fault.applyTo(proxy);
        if (fault.failsSends() && !fault.isPermanent()) {
            await().atMost(Duration.ofSeconds(30)).until(() -> !fleet.load.failures.isEmpty());
        }
        if (!fault.failsSends()) {
            awaitDelivered(begun, 100);
        }
        long ended = System.nanoTime();
        if (!fault.isPermanent()) {
            proxy.pass();
        }
        awaitDelivered(ended + (fault.isPermanent() ? TIMEOUT.toNanos() : 0), 100);
        long recovered = System.nanoTime();
        fleet.drainAndClose();
        print(fault, begun, ended, recovered);
        check(fault);
    }

    private void print(NetworkFault fault, long begun, long ended, long recovered) {
        Timeline deliveries = fleet.load.deliveries;
        IntPredicate others = affected.negate();
        System.out.printf(
                "%s for %d ms: longest gap %d ms, after the end of the fault %d ms, other masters %d ms; longest send %d ms;"
                        + " %d failures%n",
                fault,
                fault.isPermanent() ? -1 : (ended - begun) / 1_000_000,
                deliveries.longestGap(affected, begun, recovered).toMillis(),
                deliveries.longestGap(affected, ended, recovered).toMillis(),
                deliveries.count(others, begun, recovered) == 0
                        ? -1
                        : deliveries.longestGap(others, begun, recovered).toMillis(),
                fleet.load.longestSendNanos.get() / 1_000_000,
                fleet.load.failures.size());
    }

    private void check(NetworkFault fault) {
        fleet.ledger.checkLeases();
        assertThat(fleet.load.unsettled())
                .as("lost messages, except those with a cancel of unknown outcome")
                .allMatch(fleet.load.unknownOutcomes::contains);
        assertThat(fleet.load.settledTwice()).isEmpty();
        assertThat(fleet.load.failures).noneMatch(failure -> failure.startsWith("duplicate"));
        if (!fault.failsSends()) {
            assertThat(fleet.load.failures).isEmpty();
        }
    }

    private void awaitDelivered(long since, int count) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> fleet.load.deliveries.count(affected, since, Long.MAX_VALUE) >= count);
    }
}
