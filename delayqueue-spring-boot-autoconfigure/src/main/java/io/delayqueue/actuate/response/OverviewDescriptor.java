package io.delayqueue.actuate.response;

import io.delayqueue.admin.FormerNode;
import io.delayqueue.listener.ManagedListener;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The overview of the queue.
 *
 * @param node this node
 * @param time the time of this node's clock
 * @param writable whether actions are allowed
 * @param findings what to look at, at most five, the most urgent first; those of one kind are grouped
 * @param nodes all live nodes
 * @param formerNodes the nodes that were stopped or failed within the last hour, the latest first
 * @param listeners the listeners of this node
 * @param topics all topics of the namespace
 */
public record OverviewDescriptor(
        String namespace,
        String node,
        Instant time,
        boolean writable,
        List<FindingDescriptor> findings,
        List<NodeDescriptor> nodes,
        List<FormerNode> formerNodes,
        List<Listener> listeners,
        List<TopicDescriptor> topics)
        implements OperationResponseBody {

    /**
     * A listener of this node.
     *
     * @param kind {@code messages} or, for a dead-letter listener, {@code notifications}
     * @param paused whether the listener is paused on this node
     * @param pausedEverywhere whether its topic is paused on all nodes
     */
    public record Listener(
            String id,
            String topic,
            String kind,
            boolean running,
            boolean paused,
            boolean pausedEverywhere,
            Permits permits) {

        /** Creates the descriptor of a listener. */
        public static Listener of(ManagedListener listener) {
            return new Listener(
                    listener.id(),
                    listener.topic(),
                    listener.kind().name().toLowerCase(Locale.ROOT),
                    listener.isRunning(),
                    listener.isPaused(),
                    listener.isPausedEverywhere(),
                    new Permits(listener.inUse(), listener.options().concurrency()));
        }
    }

    /** The number of handlers that are running and the maximum. */
    public record Permits(int used, int max) {}
}
