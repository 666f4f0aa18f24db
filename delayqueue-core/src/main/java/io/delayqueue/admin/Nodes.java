package io.delayqueue.admin;

import io.delayqueue.Internal;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.message.QueueKind;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The nodes at one moment.
 *
 * @param at the time, by Redis' clock
 * @param live nodes with a recent heartbeat, ordered by name
 * @param former nodes that were stopped or failed within the last hour, the latest first
 */
public record Nodes(Instant at, List<NodeStatus> live, List<FormerNode> former) {

    /** The attempts of the last minute by topic, over all live nodes; topics without attempts are missing. */
    @Internal
    public Map<String, Attempts> attempts() {
        Map<String, Attempts> attempts = new TreeMap<>();
        for (NodeStatus node : live) {
            for (ListenerStatus listener : node.listeners()) {
                if (listener.kind() == QueueKind.MESSAGES && listener.attempts().all() > 0) {
                    attempts.merge(listener.topic(), listener.attempts(), Attempts::plus);
                }
            }
        }
        return attempts;
    }
}
