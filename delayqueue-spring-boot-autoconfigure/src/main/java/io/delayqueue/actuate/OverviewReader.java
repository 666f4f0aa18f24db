package io.delayqueue.actuate;

import io.delayqueue.actuate.response.OverviewResponse;
import io.delayqueue.actuate.response.TopicResponse;
import io.delayqueue.admin.DelayQueueInspector;
import java.time.InstantSource;
import java.util.List;

/**
 * Reads the overview: topics and nodes from Redis, listeners and samples from this node. Thread-safe.
 *
 * @param inspector reads nodes
 * @param topics reads topics
 * @param listeners the listeners of this node
 * @param node this node
 * @param clock the clock of this node
 */
public record OverviewReader(
        DelayQueueInspector inspector,
        TopicReader topics,
        LocalListeners listeners,
        NodeIdentity node,
        InstantSource clock) {

    /**
     * Reads the overview.
     *
     * @param history whether to include the samples of the topics
     */
    OverviewResponse read(boolean history) {
        List<TopicResponse> all = topics.all(history);
        return new OverviewResponse(
                node.namespace(),
                node.name(),
                clock.instant(),
                node.writable(),
                inspector.nodes(),
                listeners.all(),
                all);
    }

    /**
     * The constant properties of this node.
     *
     * @param namespace the namespace of all keys in Redis
     * @param name the name of the node
     * @param writable whether the endpoint permits actions
     */
    public record NodeIdentity(String namespace, String name, boolean writable) {}
}
