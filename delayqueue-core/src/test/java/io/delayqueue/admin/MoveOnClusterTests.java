package io.delayqueue.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.delayqueue.container.QueueNode;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.script.MessageMover;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.test.redis.topology.RedisClusterProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The scripts of a move on a Cluster, whose masters reject a call with keys of several slots. */
@Timeout(120)
@Tag("long")
@Tag("core")
class MoveOnClusterTests {

    private static final ShardPlan PLAN = new ShardPlan(Map.of("t", 2, "right", 3), ShardPlan.OnConflict.FAIL);
    private static final List<Shard> SOURCE = Shard.all("t", 2);
    private static final List<Shard> TARGET = Shard.all("right", 3);
    private static final Instant LATEST = Instant.ofEpochMilli(Long.MAX_VALUE / 2);

    @Test
    void messagesOfAllShardsAreMovedToShardsOnOtherMasters() {
        try (RedisClusterProcess cluster =
                        RedisClusterProcess.builder().replicasPerMaster(0).start();
                QueueNode node = QueueNode.on(cluster.addresses()).plan(PLAN).start()) {
            assertThat(TARGET.stream()
                            .map(shard ->
                                    cluster.masterOf(node.keySpace.of(shard).meta()))
                            .distinct())
                    .hasSizeGreaterThan(1);
            List<String> ids = IntStream.range(0, 200).mapToObj(i -> "m" + i).toList();
            node.template.sendAll(ids.stream()
                    .map(id -> DelayMessage.to("t")
                            .id(id)
                            .payload("p")
                            .delay(Duration.ofHours(1))
                            .build())
                    .toList());
            node.template.send(DelayMessage.to("right").id("m0").payload("live").build());

            ScriptRunner ending = call -> call.script().name().equals("movestore")
                    ? CompletableFuture.failedFuture(new IllegalStateException("The mover ends"))
                    : node.scripts.run(call);
            assertThatIllegalStateException()
                    .isThrownBy(() -> new MessageMover(ending, node.keySpace, node.registry)
                            .move(SOURCE, "right", ids.subList(0, 100), LATEST));
            MessageMover mover = new MessageMover(node.scripts, node.keySpace, node.registry);
            Set<String> moved = new HashSet<>(mover.finish(SOURCE, "right"));
            moved.addAll(
                    mover.move(SOURCE, "right", ids.subList(100, 200), LATEST).ids());

            assertThat(moved).hasSize(199).doesNotContain("m0");
            assertThat(stored(node, "t", ids)).containsExactly("m0");
            assertThat(stored(node, "right", ids)).isEqualTo(ids);
        }
    }

    private static List<String> stored(QueueNode node, String topic, List<String> ids) {
        return ids.stream()
                .filter(id -> node.template.find(topic, id).isPresent())
                .toList();
    }
}
