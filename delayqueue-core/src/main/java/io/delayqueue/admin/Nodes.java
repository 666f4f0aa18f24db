package io.delayqueue.admin;

import java.time.Instant;
import java.util.List;

/**
 * The nodes at one moment.
 *
 * @param at the time, by Redis' clock
 * @param live nodes with a recent heartbeat, ordered by name
 * @param former nodes that were stopped or failed within the last hour, the latest first
 */
public record Nodes(Instant at, List<NodeStatus> live, List<FormerNode> former) {}
