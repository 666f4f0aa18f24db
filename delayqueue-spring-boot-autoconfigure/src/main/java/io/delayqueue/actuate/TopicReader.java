package io.delayqueue.actuate;

import io.delayqueue.actuate.response.TopicResponse;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.TopicSampler;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the current state of topics from Redis and their history from this node's sampler. Thread-safe.
 *
 * @param inspector reads the current state
 * @param sampler keeps the history
 * @param maxLag the health thresholds of topics, by name
 */
public record TopicReader(DelayQueueInspector inspector, TopicSampler sampler, Map<String, Duration> maxLag) {

    /**
     * Reads all topics.
     *
     * @param history whether to include their samples
     */
    List<TopicResponse> all(boolean history) {
        return inspector.topics().stream()
                .map(status -> TopicResponse.of(
                        status, history ? sampler.history(status.topic()) : List.of(), maxLag.get(status.topic())))
                .toList();
    }

    Optional<TopicResponse> one(String topic) {
        return inspector
                .topic(topic)
                .map(status -> TopicResponse.of(status, sampler.history(topic), maxLag.get(topic)));
    }
}
