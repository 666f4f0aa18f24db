package io.delayqueue.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.coordination.Membership.ShardAssignment;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.Shard;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.SystemClock;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Nodes that share the shards of a topic. */
class AssignedShardsTests extends NodesTest {

    private static final int COUNT = 6;
    private static final List<Shard> SHARDS = IntStream.range(0, COUNT)
            .mapToObj(i -> new Shard("orders", i, COUNT, QueueKind.MESSAGES))
            .toList();

    AssignedShardsTests(RedisServerProcess redis) {
        super(redis);
    }

    private List<Node> nodes(int count) {
        List<Node> nodes = IntStream.range(0, count)
                .mapToObj(i -> new Node("n" + i, SHARDS))
                .toList();
        nodes.forEach(Node::beat);
        nodes.forEach(Node::beat);
        return nodes;
    }

    private static void assertShared(List<Node> nodes) {
        assertEachIsAssignedOnce(nodes.toArray(Node[]::new));
        int least = COUNT / nodes.size();
        assertThat(nodes).allMatch(node -> node.assigned() == least || node.assigned() == least + 1);
        assertThat(nodes).allMatch(node -> node.assignments.stream().allMatch(ShardAssignment::hasPeers));
    }

    @Test
    void nodesShareTheShardsEvenly() {
        for (int count : new int[] {2, 3, 4, 10}) {
            redis.flush();
            assertShared(nodes(count));
        }
    }

    @Test
    void shardsOfALeavingNodeAreReassignedByTheNextHeartbeats() {
        List<Node> nodes = new ArrayList<>(nodes(4));
        while (nodes.size() > 2) {
            Node leaver = nodes.remove(1);
            leaver.membership.leave(REPLY_TIMEOUT);
            nodes.forEach(node -> node.told.set(0));
            long before = nodes.stream().mapToLong(Node::assigned).sum();
            nodes.forEach(Node::beat);
            assertShared(nodes);
            assertThat(nodes.stream().mapToInt(node -> node.told.get()).sum())
                    .as("notified of shards that were assigned to them")
                    .isGreaterThanOrEqualTo((int) (COUNT - before));
        }
    }

    /** A full poller without peers sends no signal of the due messages that it leaves. */
    @Test
    void assignedPollerIsNotifiedWhenTheFirstPeersJoin() {
        Node one = new Node("one", SHARDS);
        one.beat();
        one.told.set(0);
        new Node("two", SHARDS).beat();
        one.beat();
        assertThat(one.told).hasValue((int) one.assigned());
        new Node("three", SHARDS).beat();
        one.beat();
        one.beat();
        assertThat(one.told).hasValue(COUNT / 2);
    }

    @Test
    void pausedNodeIsAssignedNoShard() {
        List<Node> nodes = new ArrayList<>(nodes(3));
        Node paused = nodes.remove(2);
        SHARDS.forEach(paused.membership::addConsumer);
        paused.assignments.forEach(ShardAssignment::leave);
        paused.beat();
        nodes.forEach(Node::beat);
        assertShared(nodes);
        assertThat(paused.assigned()).isZero();
    }

    @Test
    void directoryReadsAssignedNodesAsTheNodesComputeThem() {
        NodeDirectory directory = new NodeDirectory(scripts, keySpace, TIMEOUT);
        assertThat(directory.read().assignedNodes("orders", COUNT)).isEmpty();
        List<Node> nodes = nodes(4);
        List<String> assignedNodes = directory.read().assignedNodes("orders", COUNT);
        for (int shard = 0; shard < COUNT; shard++) {
            for (Node node : nodes) {
                assertThat(node.assignments.get(shard).isAssigned())
                        .isEqualTo(node.name.equals(assignedNodes.get(shard)));
            }
        }
        assertThat(directory.read().assignedNodes("other", COUNT)).isEmpty();
    }

    /** Computed by each read, which takes milliseconds, the assignment would use more processor time than a test has. */
    @Test
    void pollsReadTheComputedAssignment() {
        Node one = new Node("one", List.of(new Shard("big", 0, 1024, QueueKind.MESSAGES)));
        IntStream.range(0, 100).forEach(i -> {
            redis.command("ZADD", "dq:{nodes}:seen", Long.toString(SystemClock.millis()), "other" + i);
            redis.command("HSET", "dq:{nodes}:topics", "other" + i, "MESSAGES big");
        });
        one.beat();
        ShardAssignment assignment = one.assignments.get(0);
        assertThat(assignment.hasPeers()).isTrue();
        int polls = 20_000;
        assertThat(IntStream.range(0, polls)
                        .filter(i -> assignment.isAssigned())
                        .count())
                .isIn(0L, (long) polls);
    }

    /** A heartbeat reads the list of nodes only after a change. */
    @Test
    void heartbeatsOfManyTopicsAndNodesAreSmall() {
        List<Shard> consumed = IntStream.range(0, 200)
                .mapToObj(i -> Shard.single("orders.region-" + i))
                .toList();
        List<Node> nodes = IntStream.range(0, 10)
                .mapToObj(i -> new Node("0123456789ab" + i, consumed))
                .toList();
        nodes.forEach(Node::beat);
        long[] before = traffic();
        nodes.get(0).beat();
        long[] changed = traffic();
        nodes.get(0).beat();
        long[] unchanged = traffic();
        long received = changed[1] - before[1];
        long sentIdle = unchanged[0] - changed[0];
        long receivedIdle = unchanged[1] - changed[1];
        assertThat(sentIdle).isLessThan(10_000);
        assertThat(receivedIdle).isLessThan(5_000);
        assertThat(received).isBetween(10_000L, 100_000L);
    }

    private long[] traffic() {
        var stats = redis.info("stats");
        return new long[] {
            Long.parseLong(stats.get("total_net_input_bytes")), Long.parseLong(stats.get("total_net_output_bytes"))
        };
    }
}
