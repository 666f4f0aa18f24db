package io.delayqueue.actuate;

import io.delayqueue.actuate.answer.OverviewAnswer;
import io.delayqueue.actuate.answer.TopicAnswer;
import io.delayqueue.admin.DelayQueueInspector;
import java.time.InstantSource;
import java.util.List;

/**
 * Reads the overview: topics and nodes from Redis, listeners and samples from this node. Thread-safe.
 *
 * @param inspector reads nodes
 * @param topics reads topics
 * @param listeners of this node
 * @param node this node
 * @param clock this node's
 */
public record OverviewReader(
        DelayQueueInspector inspector,
        TopicReader topics,
        LocalListeners listeners,
        NodeIdentity node,
        InstantSource clock) {

    /**
     * Reads it.
     *
     * @param history whether with the topics' samples
     */
    OverviewAnswer read(boolean history) {
        List<TopicAnswer> all = topics.all(history);
        return new OverviewAnswer(
                node.namespace(),
                node.name(),
                clock.instant(),
                node.writable(),
                inspector.nodes(),
                listeners.all(),
                all);
    }

    /**
     * What doesn't change.
     *
     * @param namespace of all keys in Redis
     * @param name this node's
     * @param writable whether the endpoint may be written to
     */
    public record NodeIdentity(String namespace, String name, boolean writable) {}
}
