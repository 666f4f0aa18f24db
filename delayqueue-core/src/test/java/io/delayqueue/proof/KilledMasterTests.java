package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.QueueNode;
import io.delayqueue.message.Shard;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.test.redis.topology.RedisClusterProcess;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A master of a cluster is killed, and its replica takes over. */
@Timeout(150)
class KilledMasterTests {

    private static final int SHARDS = 6;

    private final RedisClusterProcess cluster = RedisClusterProcess.builder()
            .setting("cluster-require-full-coverage", "no")
            .start();
    private final Fleet fleet = new Fleet(() -> QueueNode.on(cluster.addresses()), SHARDS);

    @AfterEach
    void close() {
        fleet.close();
        cluster.close();
    }

    private IntPredicate shardsOf(RedisServerProcess master) {
        List<RedisServerProcess> masters = Shard.all(Load.TOPIC, SHARDS).stream()
                .map(shard -> cluster.masterOf(fleet.first().keySpace.of(shard).meta()))
                .toList();
        return index -> masters.get(index).equals(master);
    }

    /** A replica that is cut off for some time before, which would be a moment otherwise: too little to see. */
    @Test
    @Tag("soak")
    void onlyWhatTheReplicaDoesNotKnowIsUndone() {
        fleet.listen();
        RedisServerProcess killed = cluster.masters().get(1);
        IntPredicate atTheKilled = shardsOf(killed);
        fleet.load.begin(fleet.node(), atTheKilled);
        new Failover(fleet, atTheKilled)
                .survive(200, () -> {
                    cutOff(cluster.replicasOf(killed).get(0), killed);
                    long now = System.nanoTime();
                    await().until(() -> fleet.load.deliveries.count(atTheKilled, now, Long.MAX_VALUE) >= 200);
                    cluster.kill(killed);
                })
                .checkUndone();
        assertThat(fleet.load.open()).isNotEmpty();
        assertThat(fleet.load.undone()).isNotEmpty();
    }

    private static void cutOff(RedisServerProcess replica, RedisServerProcess master) {
        replica.command("CONFIG", "SET", "masterauth", "wrong");
        master.command("CLIENT", "KILL", "TYPE", "slave");
        await().until(() -> "down".equals(replica.info("replication").get("master_link_status")));
    }

    /** The one that heartbeats go to, too. */
    @Test
    void queueRecoversAndTheOtherMastersKeepTheirPace() {
        fleet.listen();
        kill(cluster.masterOf(fleet.first().keySpace.nodes()), 200);
    }

    @Test
    @Tag("soak")
    void masterIsKilledAfterLongerLoad() {
        fleet.listen();
        kill(cluster.masters().get(1), 5000);
    }

    private void kill(RedisServerProcess killed, int deliveriesBefore) {
        IntPredicate atTheKilled = shardsOf(killed);
        cluster.masters().forEach(master -> fleet.load.begin(fleet.node(), shardsOf(master)));
        new Failover(fleet, atTheKilled)
                .survive(deliveriesBefore, () -> cluster.kill(killed))
                .checkPaceElsewhere()
                .checkUndone();
    }

    @Test
    @Tag("soak")
    void nothingIsLostIfTheReplicaHasEverything() {
        fleet.listen();
        QueueNode sender = fleet.node();
        Load load = fleet.load;
        for (int i = 0; i < 20; i++) {
            load.round(sender, shard -> true, Duration.ZERO, Duration.ofMillis(200));
            load.round(sender, shard -> true, Duration.ofSeconds(6), Duration.ofSeconds(7));
        }
        await().atMost(Duration.ofSeconds(30)).until(() -> load.acknowledged.size() >= 160);
        RedisServerProcess killed = cluster.masters().get(2);
        await().until(() -> isCopied(killed));

        cluster.kill(killed);
        fleet.finish();
        assertThat(load.open()).isEmpty();
        assertThat(load.undone()).isEmpty();
        fleet.ledger.check(Set.of(), Set.of());
    }

    private boolean isCopied(RedisServerProcess master) {
        String offset = master.info("replication").get("master_repl_offset");
        return cluster.replicasOf(master).stream()
                .allMatch(replica ->
                        replica.info("replication").get("slave_repl_offset").equals(offset));
    }
}
