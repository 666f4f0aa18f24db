package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.FormerNode;
import io.delayqueue.admin.NodeStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import java.time.Duration;

/** A node failed, or is silent. */
final class NodeRule implements Rule {

    /** The time for which a failed node is a finding. */
    private static final Duration FAILED = Duration.ofMinutes(10);

    private final Duration silence;

    /**
     * Creates the rule.
     *
     * @param heartbeat interval between heartbeats; a node that misses two of them is found before it counts as failed
     */
    NodeRule(Duration heartbeat) {
        this.silence = heartbeat.multipliedBy(2).plusSeconds(1);
    }

    @Override
    public void check(Situation situation) {
        for (NodeStatus node : situation.nodes().live()) {
            Duration silent =
                    Duration.between(node.lastSeen(), situation.nodes().at());
            if (silent.compareTo(silence) > 0) {
                add(
                        situation,
                        node.node(),
                        Wording.host(node.host(), node.node()),
                        node.processId(),
                        "has sent no heartbeat for " + Wording.span(silent));
            }
        }
        for (FormerNode node : situation.nodes().former()) {
            Duration time = Duration.between(node.lastSeen(), situation.nodes().at());
            if (node.failed() && time.compareTo(FAILED) <= 0) {
                add(
                        situation,
                        node.node(),
                        Wording.host(node.host(), node.node()),
                        node.processId(),
                        "failed " + Wording.span(time) + " ago");
            }
        }
    }

    private static void add(Situation situation, String node, String host, long processId, String what) {
        situation.add(
                Level.WARNING,
                Kind.NODE_FAILED,
                host,
                node,
                "Node " + host + " (process " + processId + ") " + what + ".");
    }
}
