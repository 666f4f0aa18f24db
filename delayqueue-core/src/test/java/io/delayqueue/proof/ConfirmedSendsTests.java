package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.QueueNode;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Durability;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.message.Shard;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.OutcomeUnknownException;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.test.redis.topology.RedisClusterProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Masters are killed while messages are sent, each with two replicas, which are cut off, slow or
 * killed before. No send that both replicas confirmed is lost. Sends that only the master accepted are lost at times.
 */
@Timeout(600)
@Tag("long")
@Tag("core")
class ConfirmedSendsTests {

    private static final String TOPIC = "payout";
    private static final int FAILOVERS = 10;
    private static final int CONFIRMED = 20_000;
    private static final int SENDERS = 4;
    private static final Durability BOTH_REPLICAS = Durability.replicas(2, Duration.ofMillis(300));

    private final Set<String> confirmed = ConcurrentHashMap.newKeySet();
    private final Set<String> accepted = ConcurrentHashMap.newKeySet();
    private final AtomicInteger unconfirmed = new AtomicInteger();
    private final AtomicInteger disturbances = new AtomicInteger();
    private volatile boolean stopped;

    @Test
    void survivesFailoversOfACluster() throws Exception {
        try (RedisClusterProcess cluster = RedisClusterProcess.builder()
                        .replicasPerMaster(2)
                        .nodeTimeout(Failover.DETECTION_TIME)
                        .start();
                QueueNode node = QueueNode.on(cluster.addresses()).start()) {
            sendAcrossFailovers(node, () -> {
                RedisServerProcess master = masterOf(cluster, node);
                disturbAndKill(master, cluster.replicasOf(master));
                cluster.awaitOk();
                for (RedisServerProcess server : cluster.nodes()) {
                    if (!server.isRunning()) {
                        cluster.restart(server);
                    }
                }
                cluster.awaitOk();
            });
            check(masterOf(cluster, node), node);
        }
    }

    private static RedisServerProcess masterOf(RedisClusterProcess cluster, QueueNode node) {
        return cluster.masterOf(node.keySpace.of(Shard.single(TOPIC)).schedule());
    }

    private void sendAcrossFailovers(QueueNode node, Runnable failover) throws InterruptedException {
        node.template.send(message("first", Durability.NONE));
        Thread[] threads = new Thread[SENDERS + 1];
        for (int i = 0; i < SENDERS; i++) {
            String name = "durable-" + i + "-";
            threads[i] = new Thread(() -> sendDurably(node, name));
        }
        threads[SENDERS] = new Thread(() -> sendPlainly(node));
        for (Thread thread : threads) {
            thread.start();
        }
        try {
            for (int round = 0; round < FAILOVERS; round++) {
                awaitConfirmed((round + 1) * CONFIRMED / (FAILOVERS + 1));
                failover.run();
            }
            awaitConfirmed(CONFIRMED);
        } finally {
            stopped = true;
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    private void awaitConfirmed(int count) {
        await().atMost(Duration.ofSeconds(60)).until(() -> confirmed.size() >= count);
    }

    private static DelayMessage message(String id, Durability durability) {
        return DelayMessage.to(TOPIC)
                .id(id)
                .payload("x")
                .delay(Duration.ofDays(1))
                .durability(durability)
                .build();
    }

    /** Repeats each message until it is confirmed. */
    private void sendDurably(QueueNode node, String prefix) {
        for (int i = 0; !stopped; i++) {
            DelayMessage message = message(prefix + i, BOTH_REPLICAS);
            while (!stopped) {
                try {
                    node.template.send(message);
                    confirmed.add(prefix + i);
                    break;
                } catch (OutcomeUnknownException e) {
                    unconfirmed.addAndGet(e.reason() == Reason.NOT_CONFIRMED ? 1 : 0);
                    message = e.delayMessage();
                } catch (DelayQueueException e) {
                    LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
                }
            }
        }
    }

    private void sendPlainly(QueueNode node) {
        for (int i = 0; !stopped; i++) {
            try {
                node.template.send(message("plain-" + i, Durability.NONE));
                accepted.add("plain-" + i);
            } catch (DelayQueueException e) {
                // not accepted
            }
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
        }
    }

    private void disturbAndKill(RedisServerProcess master, List<RedisServerProcess> replicas) {
        assertThat(replicas).hasSize(2);
        switch (disturbances.getAndIncrement() % 4) {
            case 0 -> { // both are cut off
                replicas.forEach(replica -> Failover.disconnect(replica, master));
                awaitUnconfirmed();
                master.kill();
                replicas.forEach(replica -> replica.command("CONFIG", "SET", "masterauth", ""));
            }
            case 1 -> { // one does not reply
                replicas.get(0).pause();
                awaitUnconfirmed();
                master.kill();
                awaitPromotion(replicas.get(1));
                replicas.get(0).resume();
            }
            case 2 -> { // both are slow
                replicas.forEach(RedisServerProcess::pause);
                awaitUnconfirmed();
                master.kill();
                replicas.forEach(RedisServerProcess::resume);
            }
            default -> { // one is killed
                replicas.get(0).kill();
                awaitUnconfirmed();
                master.kill();
            }
        }
    }

    private static void awaitPromotion(RedisServerProcess replica) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> "master".equals(replica.info("replication").get("role")));
    }

    private void awaitUnconfirmed() {
        int before = unconfirmed.get();
        await().atMost(Duration.ofSeconds(30)).until(() -> unconfirmed.get() > before);
    }

    private void check(RedisServerProcess master, QueueNode node) {
        byte[] schedule = node.keySpace.of(Shard.single(TOPIC)).schedule();
        Set<String> stored = Ledger.ids(master, "ZRANGE", new String(schedule, StandardCharsets.UTF_8), "0", "-1");
        assertThat(confirmed.stream().filter(id -> !stored.contains(id))).isEmpty();
        assertThat(accepted.stream().filter(id -> !stored.contains(id)))
                .as("the failovers lose writes, so that the proof can fail")
                .isNotEmpty();
    }
}
