package io.delayqueue.coordination;

import io.delayqueue.message.Shard.Lane;
import java.util.Collection;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeSet;

/**
 * Says which node watches each shard of a topic: a pure function, so that every node comes to the same answer without
 * asking. Each pair of a shard and a member has a hash, as in rendezvous hashing (Thaler and Ravishankar, 1998). The pairs
 * come to an agreement by descending hash, as long as the shard is free and the member has room: for
 * {@code shards / members} shards, and for one more while some are left over. With one shard, that is plain rendezvous.
 *
 * <p>The result is a stable matching: no shard and member would both rather have one another. That is why a join or leave
 * moves little else than it must.
 */
final class Deal {

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

    private Deal(int shards, Collection<String> members) {
        this.members = new TreeSet<>(members).descendingSet().toArray(String[]::new);
        this.loads = new int[this.members.length];
        this.room = shards / this.members.length;
        this.extras = shards % this.members.length;
    }

    /**
     * The watchers, by the shards' indexes. Takes about a hash for each pair of a shard and a member.
     *
     * @param shards how many the topic has, 1 or more
     * @param members at least one, in any order
     */
    static List<String> watchers(String topic, Lane lane, int shards, Collection<String> members) {
        return new Deal(shards, members).watchers(topic, lane, shards);
    }

    private List<String> watchers(String topic, Lane lane, int shards) {
        PriorityQueue<Offer> offers = new PriorityQueue<>();
        long[] seeds = new long[shards];
        for (int shard = 0; shard < shards; shard++) {
            seeds[shard] = absorb(0xcbf29ce484222325L, topic + '\n' + shard + '\n' + lane + '\n');
            offers.add(bestOffer(shard, seeds[shard]));
        }
        String[] watchers = new String[shards];
        for (Offer offer = offers.poll(); offer != null; offer = offers.poll()) {
            if (hasRoom(offer.member)) {
                take(offer.member);
                watchers[offer.shard] = members[offer.member];
            } else {
                offers.add(bestOffer(offer.shard, seeds[offer.shard]));
            }
        }
        return List.of(watchers);
    }

    /** Of those that have room; whoever has none never gets any again. */
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

    /** As in MurmurHash3, since neighbours differ in a character only. */
    private static long finish(long state) {
        long hash = (state ^ (state >>> 33)) * 0xff51afd7ed558ccdL;
        hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return hash ^ (hash >>> 33);
    }
}
