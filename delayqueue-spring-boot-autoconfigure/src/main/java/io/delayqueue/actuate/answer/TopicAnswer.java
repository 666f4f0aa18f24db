package io.delayqueue.actuate.answer;

import io.delayqueue.admin.TopicCounts;
import io.delayqueue.admin.TopicSample;
import io.delayqueue.admin.TopicStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A topic as it stands now, and as it stood. Where a shard doesn't tell, there are no counts and no lag, but a problem.
 *
 * @param maxLagMillis how late its oldest due message may be, where a threshold is set
 * @param problem one sentence that says why there are no counts
 * @param consumers the nodes that run a listener for it
 * @param watchers the node that watches a shard, by the shard's index; empty while nobody does
 * @param paused whether it is paused everywhere
 * @param sampledAt when the newest sample of its history was taken, by this node's clock
 * @param history the last samples that have counts, oldest first
 */
public record TopicAnswer(
        String topic,
        int shards,
        @Nullable Long scheduled,
        @Nullable Long ready,
        @Nullable Long leased,
        @Nullable Long dead,
        @Nullable Long lagMillis,
        @Nullable Long maxLagMillis,
        @Nullable String problem,
        List<String> consumers,
        List<String> watchers,
        boolean paused,
        @Nullable Instant sampledAt,
        List<Point> history)
        implements OperationResponseBody {

    /**
     * Now and then.
     *
     * @param history oldest first
     * @param maxLag the threshold of its health
     */
    public static TopicAnswer of(TopicStatus status, List<TopicSample> history, @Nullable Duration maxLag) {
        TopicCounts counts = status.counts();
        return new TopicAnswer(
                status.topic(),
                status.shards(),
                counts == null ? null : counts.scheduled(),
                counts == null ? null : counts.ready(),
                counts == null ? null : counts.leased(),
                counts == null ? null : counts.dead(),
                counts == null ? null : counts.lag().toMillis(),
                maxLag == null ? null : maxLag.toMillis(),
                status.problem(),
                status.consumers(),
                status.watchers(),
                status.paused(),
                history.isEmpty() ? null : history.get(history.size() - 1).at(),
                history.stream().flatMap(Point::of).toList());
    }

    /** What a topic held at a moment. */
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
