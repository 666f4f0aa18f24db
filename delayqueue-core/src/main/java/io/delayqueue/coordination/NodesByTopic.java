package io.delayqueue.coordination;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.QueueKind;
import io.delayqueue.message.Shard;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The nodes among which the shards of each topic are assigned, according to one heartbeat. The assignment is computed
 * once for each topic. Thread-safe.
 */
final class NodesByTopic {

    /** No nodes: the state before the first heartbeat. */
    static final NodesByTopic UNKNOWN = new NodesByTopic(Set.of(), Map.of());

    private final Set<String> names;
    private final Map<String, List<String>> byLine;
    private final Map<Topic, List<String>> assigned = new ConcurrentHashMap<>();

    /** The shards that are assigned together. */
    record Topic(String name, QueueKind kind, int shards) {
        static Topic of(Shard shard) {
            return new Topic(shard.topic(), shard.kind(), shard.count());
        }
    }

    private NodesByTopic(Set<String> names, Map<String, List<String>> byLine) {
        this.names = names;
        this.byLine = byLine;
    }

    /** Reads the reply of a heartbeat, which lists node, topics, node, topics from its fifth element on. */
    static NodesByTopic read(List<Object> reply) {
        Set<String> names = new HashSet<>();
        Map<String, List<String>> byLine = new HashMap<>();
        for (int i = 4; i + 1 < reply.size(); i += 2) {
            String node = new String((byte[]) reply.get(i), UTF_8);
            names.add(node);
            String topics = new String((byte[]) reply.get(i + 1), UTF_8);
            for (String topic : topics.split("\n", -1)) {
                byLine.computeIfAbsent(topic, key -> new ArrayList<>()).add(node);
            }
        }
        return new NodesByTopic(names, byLine);
    }

    /** The live nodes. */
    Set<String> names() {
        return names;
    }

    /** The number of nodes among which a topic's shards are assigned. */
    int count(Topic topic) {
        return of(topic).size();
    }

    /** Whether shards of a topic may be assigned to a node. */
    boolean include(String node, Topic topic) {
        return of(topic).contains(node);
    }

    /** Whether a node sweeps a shard. A node that the heartbeat does not list yet sweeps all its shards. */
    boolean isAssigned(String node, Shard shard) {
        Topic topic = Topic.of(shard);
        return !include(node, topic) || assignedNodes(topic).get(shard.index()).equals(node);
    }

    /** The indexes of the shards that a node sweeps: all of them if the heartbeat does not list the node yet. */
    List<Integer> shardsOf(String node, Topic topic) {
        boolean alone = !include(node, topic);
        List<Integer> owned = new ArrayList<>();
        for (int shard = 0; shard < topic.shards; shard++) {
            if (alone || assignedNodes(topic).get(shard).equals(node)) {
                owned.add(shard);
            }
        }
        return owned;
    }

    private List<String> of(Topic topic) {
        return byLine.getOrDefault(ConsumedTopics.line(topic.name, topic.kind), List.of());
    }

    private List<String> assignedNodes(Topic topic) {
        return assigned.computeIfAbsent(
                topic, key -> ShardAssigner.assignedNodes(key.name, key.kind, key.shards, of(key)));
    }
}
