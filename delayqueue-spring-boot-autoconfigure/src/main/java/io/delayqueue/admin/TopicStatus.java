package io.delayqueue.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A topic as it stands.
 *
 * @param topic its name
 * @param shards how many it has
 * @param counts what stands where, over all shards; null where a shard didn't tell
 * @param consumers names of the nodes on which a listener of its messages runs, paused or not; in order
 * @param watchers name of the node that watches a shard, by the shard's index; empty while nobody does
 * @param paused whether it is paused everywhere
 * @param problem one sentence that says why there are no counts; null where there are
 */
public record TopicStatus(
        String topic,
        int shards,
        @Nullable TopicCounts counts,
        List<String> consumers,
        List<String> watchers,
        boolean paused,
        @Nullable String problem) {}
