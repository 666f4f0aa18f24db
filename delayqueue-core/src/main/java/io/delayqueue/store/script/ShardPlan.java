package io.delayqueue.store.script;

import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.message.Shard;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The planned shard counts of topics. A topic without a plan has the registered shard count, or one shard if it is not
 * registered.
 *
 * @param counts planned shard counts by topic, each 1 to 1,024
 * @param onConflict what to do if a topic is registered with another shard count than the planned one
 */
public record ShardPlan(Map<String, Integer> counts, OnConflict onConflict) {

    /** An empty plan. */
    public static final ShardPlan NONE = new ShardPlan(Map.of(), OnConflict.FAIL);

    /** What to do if a topic is registered with another shard count than the planned one. */
    public enum OnConflict {
        /** Reject the use of the topic. */
        FAIL,
        /** Use the registered shard count and log a warning. */
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
     * @throws InvalidOptionException if it is out of range
     */
    public static int check(int shards) {
        InvalidOptionException.require(
                shards >= 1 && shards <= Shard.MAX_COUNT, "shards", "must be 1 to 1,024, but was " + shards);
        return shards;
    }

    /** The planned shard count of a topic; empty if there is none. */
    public OptionalInt of(String topic) {
        Integer count = counts.get(topic);
        return count == null ? OptionalInt.empty() : OptionalInt.of(count);
    }

    boolean contradicts(String topic, int registered) {
        Integer count = counts.get(topic);
        return count != null && count != registered;
    }
}
