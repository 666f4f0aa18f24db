package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.Shard;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.function.IntPredicate;

/**
 * Kills a master under load and checks what is lost. Redis replicates asynchronously, so the promoted replica may miss
 * writes that the master confirmed just before it was killed.
 */
final class Failover {

    /** Long enough that a pause of a master on a busy machine causes no failover. */
    static final Duration DETECTION_TIME = Duration.ofSeconds(5);

    /** Upper bound of the replication lag on one machine. */
    private static final Duration MAX_REPLICATION_LAG = Duration.ofSeconds(1);

    private static final int STEADY_DELIVERIES = 200;

    private final Fleet fleet;
    private final Load load;
    private final IntPredicate onKilledMaster;
    private final IntPredicate onOtherMasters;
    private long loadMeasuredFrom;
    private long killStarted;
    private long killFinished;
    private long recovered;

    Failover(Fleet fleet, IntPredicate onKilledMaster) {
        this.fleet = fleet;
        this.load = fleet.load;
        this.onKilledMaster = onKilledMaster;
        this.onOtherMasters = onKilledMaster.negate();
    }

    /**
     * Kills the master under load and returns when all messages are delivered.
     *
     * @param deliveriesBefore number of deliveries to wait for before the kill
     * @param kill kills the master; may lose writes confirmed during this call or shortly before
     */
    Failover killUnderLoad(int deliveriesBefore, Runnable kill) {
        await().atMost(Duration.ofSeconds(90)).until(() -> deliveredSince(0) >= deliveriesBefore);
        loadMeasuredFrom = System.nanoTime();
        await().atMost(Duration.ofSeconds(30)).until(() -> deliveredSince(loadMeasuredFrom) >= STEADY_DELIVERIES);
        killStarted = System.nanoTime();
        kill.run();
        killFinished = System.nanoTime();

        long later = killFinished + Duration.ofSeconds(1).toNanos();
        await().atMost(Duration.ofSeconds(60)).until(() -> deliveredSince(later) >= STEADY_DELIVERIES);
        recovered = System.nanoTime();
        fleet.drainAndClose();
        return this;
    }

    private long deliveredSince(long nanos) {
        return load.deliveries.count(onKilledMaster, nanos, Long.MAX_VALUE);
    }

    /** Checks that the other masters kept at least a third of their delivery rate during the gap. */
    Failover checkRateOfOtherMasters() {
        long gap = load.deliveries
                .longestGap(onKilledMaster, killStarted, recovered)
                .toNanos();
        assertThat(load.deliveries.rate(onOtherMasters, killStarted, killStarted + gap))
                .isGreaterThan(load.deliveries.rate(onOtherMasters, loadMeasuredFrom, killStarted) / 3);
        return this;
    }

    /** Checks that only writes to the killed master just before its end were lost. */
    void checkLosses() {
        fleet.ledger.checkLeases();
        assertThat(load.unsettled())
                .as("lost")
                .allSatisfy(id -> assertJustBefore(id, load.begun.get(id), load.accepted.get(id)));
        assertThat(load.settledTwice())
                .as("settled twice")
                .allSatisfy(id -> assertJustBefore(id, load.ended.get(id), load.ended.get(id)));
        assertThat(load.failures).noneMatch(failure -> failure.startsWith("duplicate"));
    }

    private void assertJustBefore(String id, long begun, long ended) {
        assertThat(onKilledMaster.test(Shard.indexOf(id, fleet.shards)))
                .as("shard of %s is on the killed master", id)
                .isTrue();
        assertThat(Duration.ofNanos(killStarted - ended)).isLessThan(MAX_REPLICATION_LAG);
        // a batch that was in flight ends with the last reply to it, maybe after the failover
        if (begun - killFinished >= 0) {
            assertThat(Duration.ofNanos(ended - killFinished)).isLessThan(MAX_REPLICATION_LAG);
        }
    }

    /** Breaks the replication to a replica. */
    static void disconnect(RedisServerProcess replica, RedisServerProcess master) {
        replica.command("CONFIG", "SET", "masterauth", "wrong");
        master.command("CLIENT", "KILL", "TYPE", "slave");
        await().until(() -> "down".equals(replica.info("replication").get("master_link_status")));
    }
}
