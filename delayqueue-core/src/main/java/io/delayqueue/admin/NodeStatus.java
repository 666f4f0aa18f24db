package io.delayqueue.admin;

import java.time.Instant;
import java.util.List;
import java.util.SortedMap;

/**
 * A live node: a process in which the engine runs.
 *
 * @param node its name, a new one for each process
 * @param lastSeen its last heartbeat, by Redis' clock
 * @param topics topics that have a listener on the node, for messages or dead letters, paused or not, or from which a receiver
 *     on the node received within the last minute; in order
 * @param assignedShards indexes of the shards that the node sweeps, by topic; topics without such a shard are missing
 */
public record NodeStatus(
        String node, Instant lastSeen, List<String> topics, SortedMap<String, List<Integer>> assignedShards) {}
