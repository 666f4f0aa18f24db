package io.delayqueue.coordination;

import io.delayqueue.message.QueueKind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/**
 * Assigns each shard of a topic to one node. It is a pure function, so that all nodes compute the same assignment
 * without communication. Each pair of a shard and a node has a hash, as in rendezvous hashing (Thaler and Ravishankar,
 * 1998). The pairs are processed by descending hash. A pair becomes an assignment if the shard is free and the node has
 * room: each node takes {@code shards / nodes} shards, and {@code shards % nodes} nodes take one more. With one
 * shard, this is plain rendezvous hashing.
 *
 * <p>The result is a stable matching: no shard and node exist that would both prefer each other. Therefore a join or
 * leave moves few shards more than necessary.
 */
final class ShardAssigner {

    private ShardAssigner() {}

    private record Pair(int shard, int node, long hash) {}

    /**
     * The assigned nodes by shard index. Computes one hash for each pair of a shard and a node.
     *
     * @param shards shard count of the topic, 1 or more
     * @param names names of the nodes, at least one, in any order
     */
    static List<String> assignedNodes(String topic, QueueKind kind, int shards, Collection<String> names) {
        String[] nodes = new TreeSet<>(names).descendingSet().toArray(String[]::new);
        int room = shards / nodes.length;
        int extras = shards % nodes.length;
        int[] loads = new int[nodes.length];
        String[] assigned = new String[shards];
        for (Pair pair : pairs(topic, kind, shards, nodes)) {
            int load = loads[pair.node];
            if (assigned[pair.shard] == null && (load < room || (load == room && extras > 0))) {
                extras -= load == room ? 1 : 0;
                loads[pair.node]++;
                assigned[pair.shard] = nodes[pair.node];
            }
        }
        return List.of(assigned);
    }

    /** All pairs by descending hash; equal hashes by shard, then by node. */
    private static List<Pair> pairs(String topic, QueueKind kind, int shards, String[] nodes) {
        List<Pair> pairs = new ArrayList<>(shards * nodes.length);
        for (int shard = 0; shard < shards; shard++) {
            long seed = absorb(0xcbf29ce484222325L, topic + '\n' + shard + '\n' + kind + '\n');
            for (int node = 0; node < nodes.length; node++) {
                pairs.add(new Pair(shard, node, finish(absorb(seed, nodes[node]))));
            }
        }
        pairs.sort(Comparator.comparingLong(Pair::hash).reversed()); // stable
        return pairs;
    }

    /** FNV-1a. */
    private static long absorb(long state, String text) {
        long hash = state;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        return hash;
    }

    /** The finalizer of MurmurHash3, because FNV-1a alone mixes names poorly that differ in one character only. */
    private static long finish(long state) {
        long hash = (state ^ (state >>> 33)) * 0xff51afd7ed558ccdL;
        hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return hash ^ (hash >>> 33);
    }
}
