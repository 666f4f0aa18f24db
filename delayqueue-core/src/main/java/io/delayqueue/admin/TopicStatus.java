package io.delayqueue.admin;

import io.delayqueue.listener.Pause;
import io.delayqueue.message.TopicCounts;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The status of a topic.
 *
 * @param topic its name
 * @param shards number of shards
 * @param counts numbers of messages over all shards; null if a shard could not be counted
 * @param consumers names of the nodes on which a listener of the topic's messages runs, paused or not, or that
 *     received from the topic within the last minute; in order
 * @param assignedNodes name of the node that sweeps each shard, by the index of the shard; empty if no node sweeps
 *     the topic
 * @param paused whether all listeners of the topic are paused on all nodes
 * @param pauses all pauses of listeners of the topic in Redis, the latest first
 * @param problem why there are no counts, in one sentence; null if there are counts
 * @param limits the limits of the topic and what they hold back; null if it has no limits, or if there are no counts
 * @param shardCounts numbers of messages of each shard, by its index; empty if there is one shard, or if there are no
 *     counts
 */
public record TopicStatus(
        String topic,
        int shards,
        @Nullable TopicCounts counts,
        List<String> consumers,
        List<String> assignedNodes,
        boolean paused,
        List<Pause> pauses,
        @Nullable String problem,
        @Nullable LimitStatus limits,
        List<TopicCounts> shardCounts) {}
