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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A master of a cluster is killed and its replica is promoted. */
@Timeout(150)
@Tag("long")
@Tag("core")
class KilledMasterTests {

    private static final int SHARDS = 6;

    private final RedisClusterProcess cluster = RedisClusterProcess.builder()
            .setting("cluster-require-full-coverage", "no")
            .nodeTimeout(Failover.DETECTION_TIME)
            .start();
    private final Fleet fleet = new Fleet(() -> QueueNode.on(cluster.addresses()), SHARDS);

    @AfterEach
    void close() {
        fleet.close();
        cluster.close();
    }

    private IntPredicate shardsOf(RedisServerProcess master) {
        List<RedisServerProcess> masters = Shard.all(Load.TOPIC, SHARDS).stream()
                .map(shard ->
                        cluster.masterOf(fleet.firstNode().keySpace.of(shard).meta()))
                .toList();
        return index -> masters.get(index).equals(master);
    }

    /** The replica is disconnected before the kill, because its normal lag is too short to lose a write reliably. */
    @Test
    void onlyUnreplicatedWritesAreLost() {
        fleet.startConsumers();
        RedisServerProcess killed = cluster.masters().get(1);
        IntPredicate onKilledMaster = shardsOf(killed);
        fleet.load.start(fleet.startNode(), onKilledMaster);
        new Failover(fleet, onKilledMaster)
                .killUnderLoad(200, () -> {
                    Failover.disconnect(cluster.replicasOf(killed).get(0), killed);
                    long now = System.nanoTime();
                    await().until(() -> fleet.load.deliveries.count(onKilledMaster, now, Long.MAX_VALUE) >= 200);
                    cluster.kill(killed);
                })
                .checkLosses();
        assertThat(fleet.load.unsettled()).isNotEmpty();
        assertThat(fleet.load.settledTwice()).isNotEmpty();
    }

    /** Kills the master that also stores the heartbeats. */
    @Test
    void queueRecoversAndOtherMastersKeepTheirRate() {
        fleet.startConsumers();
        RedisServerProcess killed = cluster.masterOf(fleet.firstNode().keySpace.nodes());
        IntPredicate onKilledMaster = shardsOf(killed);
        cluster.masters().forEach(master -> fleet.load.start(fleet.startNode(), shardsOf(master)));
        new Failover(fleet, onKilledMaster)
                .killUnderLoad(5000, () -> cluster.kill(killed))
                .checkRateOfOtherMasters()
                .checkLosses();
    }

    @Test
    void fullyReplicatedWritesSurviveTheFailover() {
        fleet.startConsumers();
        QueueNode sender = fleet.startNode();
        Load load = fleet.load;
        for (int i = 0; i < 20; i++) {
            load.sendRound(sender, shard -> true, Duration.ZERO, Duration.ofMillis(200));
            load.sendRound(sender, shard -> true, Duration.ofSeconds(6), Duration.ofSeconds(7));
        }
        await().atMost(Duration.ofSeconds(30)).until(() -> load.acknowledged.size() >= 160);
        RedisServerProcess killed = cluster.masters().get(2);
        await().until(() -> isFullyReplicated(killed));

        cluster.kill(killed);
        fleet.drainAndClose();
        assertThat(load.unsettled()).isEmpty();
        assertThat(load.settledTwice()).isEmpty();
        fleet.ledger.check();
    }

    private boolean isFullyReplicated(RedisServerProcess master) {
        String offset = master.info("replication").get("master_repl_offset");
        return cluster.replicasOf(master).stream()
                .allMatch(replica ->
                        replica.info("replication").get("slave_repl_offset").equals(offset));
    }
}
