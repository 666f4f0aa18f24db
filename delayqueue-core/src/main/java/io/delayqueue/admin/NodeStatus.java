package io.delayqueue.admin;

import io.delayqueue.listener.ListenerStatus;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;

/**
 * A live node: a process in which the engine runs.
 *
 * @param node its name, a new one for each process
 * @param host name of its host, or of its pod; empty if it is unknown
 * @param processId id of the process; 0 if it is unknown
 * @param startedAt when it was started, by the clock of its host
 * @param lastSeen its last heartbeat, by Redis' clock
 * @param topics topics that have a listener on the node, for messages or dead letters, paused or not, or from which a receiver
 *     on the node received within the last minute; in order
 * @param assignedShards indexes of the shards that the node sweeps, by topic; topics without such a shard are missing
 * @param listeners its listeners at the last heartbeat, at most 500
 */
public record NodeStatus(
        String node,
        String host,
        long processId,
        Instant startedAt,
        Instant lastSeen,
        List<String> topics,
        SortedMap<String, List<Integer>> assignedShards,
        List<ListenerStatus> listeners) {}
