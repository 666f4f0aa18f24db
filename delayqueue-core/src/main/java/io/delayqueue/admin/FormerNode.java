package io.delayqueue.admin;

import java.time.Instant;
import java.util.List;

/**
 * A node that was stopped or failed within the last hour.
 *
 * @param node its name
 * @param host name of its host, or of its pod; empty if it is unknown
 * @param processId id of the process; 0 if it is unknown
 * @param startedAt when it was started, by the clock of its host
 * @param lastSeen its last heartbeat, by Redis' clock
 * @param failed whether its heartbeats ended without a stop
 * @param topics topics of its listeners, in order
 */
public record FormerNode(
        String node,
        String host,
        long processId,
        Instant startedAt,
        Instant lastSeen,
        boolean failed,
        List<String> topics) {}
