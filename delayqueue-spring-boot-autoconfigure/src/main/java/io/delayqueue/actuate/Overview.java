package io.delayqueue.actuate;

import io.delayqueue.admin.FormerNode;
import io.delayqueue.admin.NodeStatus;
import io.delayqueue.admin.diagnosis.Finding;
import io.delayqueue.listener.ListenerStatus;
import java.time.Instant;
import java.util.List;

/**
 * The overview of the queue.
 *
 * @param node this node
 * @param time the time of this node's clock
 * @param writable whether actions are allowed
 * @param findings what to look at, at most five, the most urgent first; those of one kind are grouped
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
        List<Finding> findings,
        List<NodeStatus> nodes,
        List<FormerNode> formerNodes,
        List<ListenerStatus> listeners,
        List<TopicDetails> topics) {}
