package io.delayqueue.admin;

import java.time.Instant;
import java.util.List;

/**
 * A node that lives: a process in which the engine runs.
 *
 * @param node its name, new with each process
 * @param lastSeen its last heartbeat, by Redis' clock
 * @param topics those of which a listener runs there, for messages or for deaths, paused or not; in order
 */
public record NodeStatus(String node, Instant lastSeen, List<String> topics) {}
