package io.delayqueue.store.script;

import io.delayqueue.message.Shard;
import java.util.Map;
import java.util.OptionalInt;

/**
 * How many shards topics are to have. Of a topic that is not in the plan nothing is believed: the registry says it, and
 * one that is not registered gets one shard.
 *
 * @param counts by the topic's name, each 1 to 1,024
 * @param onConflict what to do about a topic that is registered with another count than is planned
 */
public record ShardPlan(Map<String, Integer> counts, OnConflict onConflict) {

    /** Nothing is planned. */
    public static final ShardPlan NONE = new ShardPlan(Map.of(), OnConflict.FAIL);

    /** What to do about a topic that is registered with another count than is planned. */
    public enum OnConflict {
        /** Don't use it. */
        FAIL,
        /** Use it with the count with which it is registered, and warn. */
        FOLLOW
    }

    /** Checks the counts. */
    public ShardPlan {
        counts = Map.copyOf(counts);
        counts.forEach((topic, count) -> check(count));
    }

    /**
     * Checks a count.
     *
     * @return the count
     * @throws IllegalArgumentException if it is out of range
     */
    public static int check(int shards) {
        if (shards < 1 || shards > Shard.MAX_COUNT) {
            throw new IllegalArgumentException("shards is 1 to 1,024, but is " + shards);
        }
        return shards;
    }

    /** How many shards a topic is to have; empty if that is not planned. */
    public OptionalInt of(String topic) {
        Integer count = counts.get(topic);
        return count == null ? OptionalInt.empty() : OptionalInt.of(count);
    }

    boolean contradicts(String topic, int registered) {
        Integer count = counts.get(topic);
        return count != null && count != registered;
    }
}
