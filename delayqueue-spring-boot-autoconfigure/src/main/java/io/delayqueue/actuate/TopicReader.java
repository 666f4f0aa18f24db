package io.delayqueue.actuate;

import io.delayqueue.actuate.answer.TopicAnswer;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.TopicSampler;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads topics: from Redis what they hold, from this node what they held. Thread-safe.
 *
 * @param inspector reads what is in Redis
 * @param sampler remembers what was there
 * @param maxLag by name how late topics may be, where their health has a threshold
 */
public record TopicReader(DelayQueueInspector inspector, TopicSampler sampler, Map<String, Duration> maxLag) {

    /**
     * Reads all.
     *
     * @param history whether with their samples
     */
    List<TopicAnswer> all(boolean history) {
        return inspector.topics().stream()
                .map(status -> TopicAnswer.of(
                        status, history ? sampler.history(status.topic()) : List.of(), maxLag.get(status.topic())))
                .toList();
    }

    Optional<TopicAnswer> one(String topic) {
        return inspector.topic(topic).map(status -> TopicAnswer.of(status, sampler.history(topic), maxLag.get(topic)));
    }
}
