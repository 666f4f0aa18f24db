package io.delayqueue.actuate;

import io.delayqueue.admin.FormerNode;
import io.delayqueue.admin.NodeStatus;
import io.delayqueue.admin.diagnosis.Finding;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.redis.server.ServerState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The overview of the queue.
 *
 * @param node this node
 * @param time the time of this node's clock
 * @param writable whether actions are allowed
 * @param links where the dashboard links to
 * @param findings what to look at, at most five, the most urgent first; those of one kind are grouped
 * @param redis the state of the Redis server, or of each master of a Cluster
 * @param nodes all live nodes
 * @param formerNodes the nodes that were stopped or failed within the last hour, the latest first
 * @param listeners the listeners of this node now; in {@code nodes} they are those of the last heartbeat
 * @param topics all topics of the namespace
 */
public record Overview(
        String namespace,
        String node,
        Instant time,
        boolean writable,
        Links links,
        List<Finding> findings,
        List<ServerState> redis,
        List<NodeStatus> nodes,
        List<FormerNode> formerNodes,
        List<ListenerStatus> listeners,
        List<TopicDetails> topics) {

    /**
     * Where the dashboard links to.
     *
     * @param trace address of a trace, in which {@value #TRACE_ID} is replaced; omitted if there is none
     * @param runbook address of the runbook, whose anchors are the kinds of findings
     */
    public record Links(@Nullable String trace, String runbook) {

        /** Stands for the id of a trace. */
        public static final String TRACE_ID = "{traceId}";
    }
}
