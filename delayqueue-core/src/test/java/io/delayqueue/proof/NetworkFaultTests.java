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

/** A bad network between the nodes and their Redis, under load. */
@Timeout(120)
class NetworkFaultTests {

    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration BUILT_IN = Duration.ofSeconds(5);
    private static final int SHARDS = 3;

    private Fleet fleet;
    private IntPredicate behind = shard -> true;

    @AfterEach
    void close() {
        if (fleet != null) {
            fleet.close();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SLOW_AND_UNSTEADY", "CUT", "ANSWERS_LOST"})
    void queueRecoversByItself(NetworkFault fault) {
        onOneRedis(fault, fault.isFatal() ? SHORT : BUILT_IN);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("soak")
    void queueRecoversByItselfFromEachFault(NetworkFault fault) {
        onOneRedis(fault, BUILT_IN);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("soak")
    void queueRecoversByItselfFromEachFaultBeforeOneMaster(NetworkFault fault) {
        onCluster(fault, BUILT_IN);
    }

    private void onOneRedis(NetworkFault fault, Duration timeout) {
        try (RedisServerProcess redis = RedisServerProcess.start();
                FaultProxy proxy = FaultProxy.inFrontOf(redis)) {
            fleet = new Fleet(() -> QueueNode.on(proxy.port()).commandTimeout(timeout), SHARDS);
            fleet.listen();
            fleet.load.begin(fleet.node(), shard -> true);
            survive(fault, proxy, timeout);
        }
    }

    private void onCluster(NetworkFault fault, Duration timeout) {
        try (RedisClusterProcess cluster =
                RedisClusterProcess.builder().replicasPerMaster(0).proxied().start()) {
            fleet = new Fleet(() -> QueueNode.on(cluster.addresses()).commandTimeout(timeout), SHARDS);
            fleet.listen();
            List<RedisServerProcess> masters = Shard.all(Load.TOPIC, SHARDS).stream()
                    .map(shard ->
                            cluster.masterOf(fleet.first().keySpace.of(shard).meta()))
                    .toList();
            RedisServerProcess master = cluster.masters().get(1);
            behind = index -> masters.get(index).equals(master);
            fleet.load.begin(fleet.node(), behind);
            fleet.load.begin(fleet.node(), behind.negate());
            survive(fault, cluster.proxyOf(master), timeout);
        }
    }

    private void survive(NetworkFault fault, FaultProxy proxy, Duration timeout) {
        awaitDelivered(System.nanoTime(), 100);
        long begun = System.nanoTime();
        fault.happenTo(proxy);
        if (fault.isFatal() && !fault.isForGood()) {
            await().atMost(Duration.ofSeconds(30)).until(() -> !fleet.load.failures.isEmpty());
        }
        if (!fault.isFatal()) {
            awaitDelivered(begun, 100);
        }
        long ended = System.nanoTime();
        if (!fault.isForGood()) {
            proxy.pass();
        }
        awaitDelivered(ended + (fault.isForGood() ? timeout.toNanos() : 0), 100);
        long recovered = System.nanoTime();
        fleet.finish();
        tell(fault, begun, ended, recovered);
        check(fault);
    }

    private void tell(NetworkFault fault, long begun, long ended, long recovered) {
        Timeline deliveries = fleet.load.deliveries;
        IntPredicate others = behind.negate();
        System.out.printf(
                "%s for %d ms: longest gap %d ms, %d ms of it after the end; elsewhere %d ms; longest send %d ms;"
                        + " failed %d%n",
                fault,
                fault.isForGood() ? -1 : (ended - begun) / 1_000_000,
                deliveries.longestGap(behind, begun, recovered).toMillis(),
                deliveries.longestGap(behind, ended, recovered).toMillis(),
                deliveries.count(others, begun, recovered) == 0
                        ? -1
                        : deliveries.longestGap(others, begun, recovered).toMillis(),
                fleet.load.longestSendNanos.get() / 1_000_000,
                fleet.load.failures.size());
    }

    private void check(NetworkFault fault) {
        fleet.ledger.checkLeases();
        assertThat(fleet.load.open())
                .as("lost, but those whose cancelling was not answered")
                .allMatch(fleet.load.unsure::contains);
        assertThat(fleet.load.undone()).isEmpty();
        assertThat(fleet.load.failures).noneMatch(failure -> failure.startsWith("duplicate"));
        if (!fault.isFatal()) {
            assertThat(fleet.load.failures).isEmpty();
        }
    }

    private void awaitDelivered(long since, int count) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> fleet.load.deliveries.count(behind, since, Long.MAX_VALUE) >= count);
    }
}
