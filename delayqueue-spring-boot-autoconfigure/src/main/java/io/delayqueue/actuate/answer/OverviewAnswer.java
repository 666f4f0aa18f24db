package io.delayqueue.actuate.answer;

import io.delayqueue.admin.NodeStatus;
import java.time.Instant;
import java.util.List;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The queue as this node sees it.
 *
 * @param node this node
 * @param time this node's clock
 * @param writable whether actions are allowed
 * @param nodes all nodes that Redis knows of
 * @param listeners those of this node
 * @param topics all topics of the namespace
 */
public record OverviewAnswer(
        String namespace,
        String node,
        Instant time,
        boolean writable,
        List<NodeStatus> nodes,
        List<Listener> listeners,
        List<TopicAnswer> topics)
        implements OperationResponseBody {

    /**
     * A listener of this node.
     *
     * @param lane messages or deaths
     * @param paused whether it is paused here
     * @param pausedEverywhere whether its topic is paused everywhere; it runs only if neither holds
     */
    public record Listener(
            String id,
            String topic,
            String lane,
            boolean running,
            boolean paused,
            boolean pausedEverywhere,
            Permits permits) {}

    /** How many handlers run, and may run. */
    public record Permits(int used, int max) {}
}
