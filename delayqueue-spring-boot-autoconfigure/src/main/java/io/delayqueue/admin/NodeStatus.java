package io.delayqueue.admin;

import java.time.Instant;
import java.util.List;
import java.util.SortedMap;

/**
 * A node that lives: a process in which the engine runs.
 *
 * @param node its name, new with each process
 * @param lastSeen its last heartbeat, by Redis' clock
 * @param topics those of which a listener runs there, for messages or for deaths, paused or not; in order
 * @param watches which shards of which topic it watches, by their indexes; without topics of which it watches none
 */
public record NodeStatus(
        String node, Instant lastSeen, List<String> topics, SortedMap<String, List<Integer>> watches) {}
