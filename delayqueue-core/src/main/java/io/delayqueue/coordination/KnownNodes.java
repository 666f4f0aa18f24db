package io.delayqueue.coordination;

import io.delayqueue.listener.Pause;
import io.delayqueue.message.QueueKind;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;

/**
 * The live nodes, the nodes of the last hour, and the pauses at one moment.
 *
 * @param now time of Redis' clock
 * @param nodes live nodes, ordered by name
 * @param former nodes that left or failed within the last hour, the latest first
 * @param pauses pauses by topic, the latest first; not those of nodes of which there is no record
 */
public record KnownNodes(Instant now, List<Node> nodes, List<Former> former, Map<String, List<Pause>> pauses) {

    /** The pauses of a topic, the latest first. */
    public List<Pause> pauses(String topic) {
        return pauses.getOrDefault(topic, List.of());
    }

    /**
     * The assigned nodes of a topic's messages, by shard index. Each node computes the same assignment with its next
     * heartbeat.
     *
     * @param shards shard count of the topic, 1 or more
     * @return one node name for each shard; empty if no node sweeps the topic
     */
    public List<String> assignedNodes(String topic, int shards) {
        List<String> assignable = nodes.stream()
                .filter(node -> node.assignable().contains(topic))
                .map(Node::name)
                .toList();
        return assignable.isEmpty()
                ? List.of()
                : ShardAssigner.assignedNodes(topic, QueueKind.MESSAGES, shards, assignable);
    }

    /** Whether a job is assigned to a node. It is assigned to one live node. */
    public boolean isAssigned(String job, String node) {
        return !nodes.isEmpty()
                && ShardAssigner.assignedNodes(
                                job,
                                QueueKind.MESSAGES,
                                1,
                                nodes.stream().map(Node::name).toList())
                        .contains(node);
    }

    /**
     * A live node.
     *
     * @param name name of the node, which no other node ever has
     * @param lastSeen time of its last heartbeat, by Redis' clock
     * @param messages topics that have a listener on the node, paused or not, or from which a receiver on the node has
     *     received within the last minute
     * @param notifications topics that have a dead-letter listener on the node, paused or not
     * @param assignable those of {@code messages} whose shards may be assigned to the node: a listener runs and is not
     *     paused
     * @param report what the node reported with its last heartbeat
     */
    public record Node(
            String name,
            Instant lastSeen,
            SortedSet<String> messages,
            SortedSet<String> notifications,
            SortedSet<String> assignable,
            NodeReport report) {}

    /**
     * A node that left or failed.
     *
     * @param name name of the node
     * @param lastSeen time of its last heartbeat, by Redis' clock
     * @param failed whether its heartbeats ended; false if it was stopped
     * @param report what the node reported with its last heartbeat
     */
    public record Former(String name, Instant lastSeen, boolean failed, NodeReport report) {}
}
