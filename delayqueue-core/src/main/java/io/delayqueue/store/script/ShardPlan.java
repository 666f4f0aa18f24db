package io.delayqueue.store.script;

import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.Keys;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The planned shard counts of topics, and what their keys are to mean. A topic without a plan has the registered shard
 * count and keys, or one shard and no keys if it is not registered.
 *
 * @param counts planned shard counts by topic, each 1 to 1,024
 * @param keys planned meaning of keys by topic
 * @param onConflict what to do if a topic is registered in another way than planned
 */
public record ShardPlan(Map<String, Integer> counts, Map<String, Keys> keys, OnConflict onConflict) {

    /** An empty plan. */
    public static final ShardPlan NONE = new ShardPlan(Map.of(), Map.of(), OnConflict.FAIL);

    /** What to do if a topic is registered in another way than planned. */
    public enum OnConflict {
        /** Reject the use of the topic. */
        FAIL,
        /** Use the topic as it is registered and log a warning. */
        FOLLOW
    }

    /** Checks the counts. */
    public ShardPlan {
        counts = Map.copyOf(counts);
        keys = Map.copyOf(keys);
        counts.forEach((topic, count) -> check(count));
    }

    /** Creates a plan of shard counts. */
    public ShardPlan(Map<String, Integer> counts, OnConflict onConflict) {
        this(counts, Map.of(), onConflict);
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

    /**
     * The shards with which a topic is to be registered.
     *
     * @param otherwise the shards if nothing is planned
     */
    List<Shard> shards(String topic, List<Shard> otherwise) {
        Keys planned = keys.getOrDefault(topic, otherwise.get(0).keys());
        int count = counts.getOrDefault(topic, planned == Keys.NONE ? otherwise.size() : 1);
        return Shard.all(topic, count, planned);
    }

    /** What contradicts the plan in the shards of a registered topic, and the property that says so; null if nothing. */
    public @Nullable Contradiction contradiction(String topic, List<Shard> registered) {
        Integer count = counts.get(topic);
        Keys meant = keys.get(topic);
        Keys found = registered.get(0).keys();
        if (meant != null && meant != found) {
            return new Contradiction("keys", text(found), text(meant));
        }
        return count == null || count == registered.size()
                ? null
                : new Contradiction("shards", Integer.toString(registered.size()), count.toString());
    }

    private static String text(Keys keys) {
        return keys.name().toLowerCase(Locale.ROOT);
    }

    /** A property of a topic that contradicts its registration. */
    public record Contradiction(String property, String registered, String planned) {}
}
