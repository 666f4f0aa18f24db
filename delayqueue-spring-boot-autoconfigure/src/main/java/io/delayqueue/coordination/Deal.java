package io.delayqueue.coordination;

import io.delayqueue.message.Shard;
import java.util.List;

/**
 * Says which node watches a shard: a pure function of the shard and the members of its topic, so that every node comes
 * to the same answer without asking. By rendezvous hashing (Thaler and Ravishankar, 1998): the member whose hash with
 * the shard is highest. A join or leave moves only the shards of the node that came or went.
 */
final class Deal {

    private Deal() {}

    /**
     * The watcher.
     *
     * @param members at least one, in any order
     */
    static String watcher(Shard shard, List<String> members) {
        String best = members.get(0);
        long highest = Long.MIN_VALUE;
        for (String member : members) {
            long hash = hash(shard.topic() + '\n' + shard.index() + '\n' + shard.lane() + '\n' + member);
            if (hash > highest || (hash == highest && member.compareTo(best) > 0)) {
                highest = hash;
                best = member;
            }
        }
        return best;
    }

    /** FNV-1a, finished as in MurmurHash3, since neighbours differ in a character only. */
    private static long hash(String text) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return hash ^ (hash >>> 33);
    }
}
