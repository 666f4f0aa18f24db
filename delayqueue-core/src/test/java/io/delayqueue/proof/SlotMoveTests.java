package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.QueueNode;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.test.redis.topology.RedisClusterProcess;
import io.delayqueue.test.redis.topology.SlotMove;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The slot of a shard moves from one master to another under load. */
@Timeout(120)
@Tag("long")
@Tag("core")
class SlotMoveTests {

    private static final int SHARDS = 3;
    private static final int ELEMENTS = 5000;
    private static final IntPredicate MOVING = index -> index == 0;

    private static RedisClusterProcess cluster;
    private Fleet fleet;
    private RedisServerProcess from;
    private SlotMove move;

    @BeforeAll
    static void startCluster() {
        cluster = RedisClusterProcess.builder().replicasPerMaster(0).start();
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @BeforeEach
    void start() {
        cluster.flush();
        fleet = new Fleet(() -> QueueNode.on(cluster.addresses()), SHARDS);
        fleet.startConsumers();
    }

    @AfterEach
    void close() {
        fleet.close();
    }

    private void load() {
        QueueNode sender = fleet.startNode();
        List<DelayMessage> batch = new ArrayList<>();
        for (int i = 0; batch.size() < ELEMENTS; i++) {
            String id = "b" + i;
            if (Shard.indexOf(id, SHARDS) == 0) {
                batch.add(DelayMessage.to(Load.TOPIC)
                        .id(id)
                        .payload("x".repeat(100))
                        .delay(Duration.ofSeconds(4))
                        .build());
                fleet.ledger.sent(id);
            }
        }
        sender.template.sendAll(batch);
        fleet.load.start(fleet.startNode(), MOVING);
        fleet.load.start(fleet.startNode(), MOVING.negate());
        awaitDeliveries();
    }

    private void begin() {
        String key = meta();
        from = cluster.masterOf(key);
        RedisServerProcess to = cluster.masters().stream()
                .filter(master -> !master.equals(from))
                .findFirst()
                .orElseThrow();
        move = cluster.moveSlot(RedisClusterProcess.slotOf(key), from, to);
    }

    private String meta() {
        Shard shard = Shard.all(Load.TOPIC, SHARDS).get(0);
        return new String(fleet.firstNode().keySpace.of(shard).meta(), StandardCharsets.UTF_8);
    }

    /** Waits for deliveries from the moving shard. */
    private void awaitDeliveries() {
        fleet.awaitDeliveries(MOVING, System.nanoTime(), 100);
    }

    /** All keys of the shard are on one master before, during and after the migration. */
    @Test
    void sendsSucceedWhileKeysMoveTogether() {
        load();
        begin();
        awaitDeliveries();
        while (move.moveSomeKeys(100) > 0) {}
        awaitDeliveries();
        move.finish();
        awaitDeliveries();

        fleet.drainAndClose();
        assertThat(fleet.load.failures).isEmpty();
        assertThat(fleet.load.unknownOutcomes).isEmpty();
        check();
    }

    /** The migration stops in the middle until sends fail. */
    @Test
    void sendsFailWithoutLossWhileKeysAreOnTwoMasters() {
        load();
        begin();
        move.moveSomeKeys(3);
        await().atMost(Duration.ofSeconds(30)).until(() -> fleet.load.failures.size() >= 9);
        assertThat(move.remaining()).isPositive();
        move.moveSomeKeys(1);
        await().atMost(Duration.ofSeconds(30)).until(() -> fleet.load.failures.size() >= 18);
        move.finish();
        awaitDeliveries();

        fleet.drainAndClose();
        assertThat(fleet.load.failures).allMatch(failure -> failure.contains("TRYAGAIN"));
        check();
    }

    /** Remembered sends use existing keys, so a migrating slot does not reject them. */
    @Test
    void rememberedSendsAreAcceptedAndDeduplicatedWhileTheirSlotMoves() {
        DelayQueueTemplate template = fleet.startNode().template;
        List<DelayMessage> messages = IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "remembered" + i)
                .filter(id -> Shard.indexOf(id, SHARDS) == 0)
                .limit(4)
                .map(SlotMoveTests::remembered)
                .toList();
        template.send(messages.get(0));

        begin();
        template.send(messages.get(1));
        while (move.moveSomeKeys(100) > 0) {}
        template.send(messages.get(2));
        messages.subList(0, 3).forEach(message -> template.cancel(Load.TOPIC, message.id()));
        messages.subList(0, 3).forEach(template::send);
        move.finish();
        template.send(messages.get(3));

        assertThat(messages.stream()
                        .filter(message ->
                                template.find(Load.TOPIC, message.id()).isPresent()))
                .containsExactly(messages.get(3));
    }

    private static DelayMessage remembered(String id) {
        return DelayMessage.to(Load.TOPIC)
                .id(id)
                .payload("x")
                .delay(Duration.ofHours(1))
                .repeatOf("nonceof" + id)
                .rememberFor(Duration.ofHours(2))
                .build();
    }

    private void check() {
        assertThat(fleet.load.settledTwice()).isEmpty();
        assertThat(fleet.load.unsettled()).isEmpty();
        fleet.ledger.check();
    }
}
