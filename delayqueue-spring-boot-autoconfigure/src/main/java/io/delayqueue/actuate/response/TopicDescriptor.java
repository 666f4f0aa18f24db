package io.delayqueue.actuate.response;

import io.delayqueue.admin.Diagnosis;
import io.delayqueue.admin.TopicCounts;
import io.delayqueue.admin.TopicSample;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.listener.ListenerStatus.Attempts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The current state and the history of a topic. If the state of a shard is unknown, counts and lag are omitted and
 * {@code problem} is set.
 *
 * @param suspects the number of ready messages that wait to be handled in isolation
 * @param unreviewed the number of dead letters that are not reviewed
 * @param maxLagMillis the health threshold of the lag, if one is set
 * @param problem the reason why counts are omitted
 * @param consumers the nodes that consume the topic
 * @param assignedNodes the node that sweeps each shard, by the shard's index; empty if no node listens
 * @param paused whether the topic is paused on all nodes
 * @param findings what to look at, the most urgent first
 * @param attempts the attempts of the last minute over all nodes; omitted if there were none
 * @param sampledAt the time of the newest sample by this node's clock
 * @param history the last samples that have counts, oldest first
 */
public record TopicDescriptor(
        String topic,
        int shards,
        @Nullable Long scheduled,
        @Nullable Long ready,
        @Nullable Long suspects,
        @Nullable Long leased,
        @Nullable Long dead,
        @Nullable Long unreviewed,
        @Nullable Long lagMillis,
        @Nullable Long maxLagMillis,
        @Nullable String problem,
        List<String> consumers,
        List<String> assignedNodes,
        boolean paused,
        List<FindingDescriptor> findings,
        @Nullable AttemptsDescriptor attempts,
        @Nullable Instant sampledAt,
        List<Point> history)
        implements OperationResponseBody {

    /**
     * Creates the descriptor of a topic.
     *
     * @param diagnosis contains the findings and attempts of the topic
     * @param history the samples of the topic, oldest first
     * @param maxLag the health threshold of the lag
     */
    public static TopicDescriptor of(
            TopicStatus status, Diagnosis diagnosis, List<TopicSample> history, @Nullable Duration maxLag) {
        TopicCounts counts = status.counts();
        Attempts attempts = diagnosis.attempts().get(status.topic());
        return new TopicDescriptor(
                status.topic(),
                status.shards(),
                counts == null ? null : counts.scheduled(),
                counts == null ? null : counts.ready(),
                counts == null ? null : counts.suspects(),
                counts == null ? null : counts.leased(),
                counts == null ? null : counts.dead(),
                counts == null ? null : counts.unreviewed(),
                counts == null ? null : counts.lag().toMillis(),
                maxLag == null ? null : maxLag.toMillis(),
                status.problem(),
                status.consumers(),
                status.assignedNodes(),
                status.paused(),
                diagnosis.topics().getOrDefault(status.topic(), List.of()).stream()
                        .map(FindingDescriptor::of)
                        .toList(),
                attempts == null ? null : AttemptsDescriptor.of(attempts),
                history.isEmpty() ? null : history.get(history.size() - 1).at(),
                history.stream().flatMap(Point::of).toList());
    }

    /** The state of a topic at one point in time. */
    public record Point(Instant at, long scheduled, long ready, long leased, long dead, long lagMillis) {

        static Stream<Point> of(TopicSample sample) {
            TopicCounts counts = sample.status().counts();
            return counts == null
                    ? Stream.empty()
                    : Stream.of(new Point(
                            sample.at(),
                            counts.scheduled(),
                            counts.ready(),
                            counts.leased(),
                            counts.dead(),
                            counts.lag().toMillis()));
        }
    }
}
