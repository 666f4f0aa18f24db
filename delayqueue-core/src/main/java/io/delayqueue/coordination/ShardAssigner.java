package io.delayqueue.coordination;

import io.delayqueue.message.Shard.QueueKind;
import java.util.Collection;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeSet;

/**
 * Assigns each shard of a topic to one node. It is a pure function, so that all nodes compute the same assignment
 * without communication. Each pair of a shard and a node has a hash, as in rendezvous hashing (Thaler and Ravishankar,
 * 1998). The pairs are processed by descending hash. A pair becomes an assignment if the shard is free and the node has
 * room: each node takes {@code shards / members} shards, and {@code shards % members} nodes take one more. With one
 * shard, this is plain rendezvous hashing.
 *
 * <p>The result is a stable matching: no shard and node exist that would both prefer each other. Therefore a join or
 * leave moves few shards more than necessary.
 */
final class ShardAssigner {

    private final String[] members;
    private final int[] loads;
    private final int room;
    private int extras;

    private record Offer(int shard, int member, long hash) implements Comparable<Offer> {
        @Override
        public int compareTo(Offer other) {
            int byHash = Long.compare(other.hash, hash);
            return byHash != 0 ? byHash : Integer.compare(shard, other.shard);
        }
    }

    private ShardAssigner(int shards, Collection<String> members) {
        this.members = new TreeSet<>(members).descendingSet().toArray(String[]::new);
        this.loads = new int[this.members.length];
        this.room = shards / this.members.length;
        this.extras = shards % this.members.length;
    }

    /**
     * The assigned nodes by shard index. Computes about one hash for each pair of a shard and a member.
     *
     * @param shards shard count of the topic, 1 or more
     * @param members names of the nodes, at least one, in any order
     */
    static List<String> assignedNodes(String topic, QueueKind kind, int shards, Collection<String> members) {
        return new ShardAssigner(shards, members).assignedNodes(topic, kind, shards);
    }

    private List<String> assignedNodes(String topic, QueueKind kind, int shards) {
        PriorityQueue<Offer> offers = new PriorityQueue<>();
        long[] seeds = new long[shards];
        for (int shard = 0; shard < shards; shard++) {
            seeds[shard] = absorb(0xcbf29ce484222325L, topic + '\n' + shard + '\n' + kind + '\n');
            offers.add(bestOffer(shard, seeds[shard]));
        }
        String[] assignedNodes = new String[shards];
        for (Offer offer = offers.poll(); offer != null; offer = offers.poll()) {
            if (hasRoom(offer.member)) {
                take(offer.member);
                assignedNodes[offer.shard] = members[offer.member];
            } else {
                offers.add(bestOffer(offer.shard, seeds[offer.shard]));
            }
        }
        return List.of(assignedNodes);
    }

    /** The best offer among the members that have room. A member without room never gets room again. */
    private Offer bestOffer(int shard, long seed) {
        int best = -1;
        long highest = Long.MIN_VALUE;
        for (int member = 0; member < members.length; member++) {
            if (hasRoom(member)) {
                long hash = finish(absorb(seed, members[member]));
                if (best < 0 || hash > highest) {
                    highest = hash;
                    best = member;
                }
            }
        }
        return new Offer(shard, best, highest);
    }

    private boolean hasRoom(int member) {
        return loads[member] < room || (loads[member] == room && extras > 0);
    }

    private void take(int member) {
        if (loads[member]++ == room) {
            extras--;
        }
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
