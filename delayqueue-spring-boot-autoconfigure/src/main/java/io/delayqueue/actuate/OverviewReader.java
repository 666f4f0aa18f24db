package io.delayqueue.actuate;

import io.delayqueue.actuate.answer.OverviewAnswer;
import io.delayqueue.actuate.answer.TopicAnswer;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.TopicSampler;
import java.time.InstantSource;
import java.util.List;

/**
 * Reads the overview: topics and nodes from Redis, listeners and samples from this node. Thread-safe.
 *
 * @param inspector reads what is in Redis
 * @param sampler remembers what was there
 * @param listeners of this node
 * @param node this node
 * @param clock this node's
 */
public record OverviewReader(
        DelayQueueInspector inspector,
        TopicSampler sampler,
        LocalListeners listeners,
        NodeIdentity node,
        InstantSource clock) {

    /**
     * Reads it.
     *
     * @param history whether with the topics' samples
     */
    OverviewAnswer read(boolean history) {
        List<TopicAnswer> topics = inspector.topics().stream()
                .map(status -> TopicAnswer.of(status, history ? sampler.history(status.topic()) : List.of()))
                .toList();
        return new OverviewAnswer(
                node.namespace(),
                node.name(),
                clock.instant(),
                node.writable(),
                inspector.nodes(),
                listeners.all(),
                topics);
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
