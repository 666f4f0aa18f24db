package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.Happenings;
import io.delayqueue.container.Pacing;
import io.delayqueue.container.QueueNode;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.test.redis.topology.RedisClusterProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node subscribes on one Redis node of the cluster and receives signals published on each master. */
@Timeout(60)
@Tag("long")
@Tag("core")
class SignalsAcrossMastersTests {

    private static final int SHARDS = 3;

    private final RedisClusterProcess cluster =
            RedisClusterProcess.builder().replicasPerMaster(0).start();
    private final Happenings events = new Happenings();
    private final QueueNode listening = node();
    private final QueueNode sending = node();

    private QueueNode node() {
        return QueueNode.on(cluster.addresses())
                .shards("t", SHARDS)
                .settings(Pacing.quiet().settings())
                .events(events)
                .start();
    }

    @AfterEach
    void close() {
        listening.close();
        sending.close();
        cluster.close();
    }

    /** Without the signal, the next sweep would run a minute later. */
    @Test
    void signalOfEachMasterWakesIdleListener() {
        Map<String, Duration> late = new ConcurrentHashMap<>();
        listening.listen("t", ListenerOptions.DEFAULTS, deliveries -> {
            deliveries.forEach(delivery -> late.put(delivery.id(), Duration.between(delivery.dueAt(), Instant.now())));
            return null;
        });
        Map<Integer, String> ids = new HashMap<>();
        for (int i = 0; ids.size() < SHARDS; i++) {
            ids.putIfAbsent(Shard.indexOf("m" + i, SHARDS), "m" + i);
        }
        send(ids, Duration.ZERO);
        await().until(() -> events.count("acknowledged") == SHARDS);
        await().until(listening.signals::confirmed);
        late.clear();

        send(ids, Duration.ofSeconds(2));
        await().atMost(Duration.ofSeconds(20)).until(() -> late.size() == SHARDS);

        Set<RedisServerProcess> masters = new HashSet<>();
        Shard.all("t", SHARDS)
                .forEach(shard ->
                        masters.add(cluster.masterOf(sending.keySpace.of(shard).meta())));
        assertThat(masters).hasSize(3);
        System.out.println("woken by each of three masters, delivery lag " + late.values());
        assertThat(late.values()).allMatch(duration -> !duration.isNegative());
        assertThat(subscribers()).isEqualTo(1);
    }

    private long subscribers() {
        return cluster.nodes().stream()
                .mapToLong(node ->
                        (Long) ((List<?>) node.command("PUBSUB", "NUMSUB", sending.keySpace.signalChannel())).get(1))
                .sum();
    }

    private void send(Map<Integer, String> ids, Duration delay) {
        ids.values()
                .forEach(id -> sending.template.send(
                        DelayMessage.to("t").id(id).payload("").delay(delay).build()));
    }
}
