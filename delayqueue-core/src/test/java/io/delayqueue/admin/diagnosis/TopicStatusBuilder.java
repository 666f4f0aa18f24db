package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.LimitStatus;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.listener.Pause;
import io.delayqueue.message.TopicCounts;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The status of an empty topic that node n1 consumes. */
final class TopicStatusBuilder {

    private final String topic;
    private @Nullable TopicCounts counts = TopicCounts.ZERO;
    private List<TopicCounts> shardCounts = List.of();
    private List<String> consumers = List.of("n1");
    private boolean paused;
    private List<Pause> pauses = List.of();
    private @Nullable String problem;
    private @Nullable LimitStatus limits;

    private TopicStatusBuilder(String topic) {
        this.topic = topic;
    }

    static TopicStatusBuilder topic(String topic) {
        return new TopicStatusBuilder(topic);
    }

    TopicStatusBuilder counts(TopicCounts value) {
        counts = value;
        return this;
    }

    TopicStatusBuilder shards(TopicCounts... value) {
        shardCounts = List.of(value);
        return this;
    }

    TopicStatusBuilder consumers(int number) {
        consumers = Collections.nCopies(number, "n1");
        return this;
    }

    TopicStatusBuilder paused(boolean everywhere, Pause... value) {
        paused = everywhere;
        pauses = List.of(value);
        return this;
    }

    TopicStatusBuilder problem(String value) {
        counts = null;
        problem = value;
        return this;
    }

    TopicStatusBuilder limits(@Nullable LimitStatus value) {
        limits = value;
        return this;
    }

    TopicStatus build() {
        int shards = Math.max(1, shardCounts.size());
        List<String> assigned = consumers.isEmpty() ? List.of() : Collections.nCopies(shards, "n1");
        return new TopicStatus(
                topic, shards, counts, consumers, assigned, paused, pauses, problem, limits, shardCounts);
    }
}
