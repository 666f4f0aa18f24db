package io.delayqueue.admin;

import java.util.List;

/**
 * A topic as it stands.
 *
 * @param topic its name
 * @param shards how many it has
 * @param counts what stands where, over all shards
 * @param consumers names of the nodes on which a listener of its messages runs, paused or not; in order
 * @param watchers name of the node that watches a shard, by the shard's index; empty while nobody does
 * @param paused whether it is paused everywhere
 */
public record TopicStatus(
        String topic, int shards, TopicCounts counts, List<String> consumers, List<String> watchers, boolean paused) {}
