package io.delayqueue.actuate.answer;

import io.delayqueue.admin.TopicCounts;
import io.delayqueue.admin.TopicSample;
import io.delayqueue.admin.TopicStatus;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A topic as it stands now, and as it stood.
 *
 * @param consumers the nodes that run a listener for it
 * @param watchers the node that watches a shard, by the shard's index; empty while nobody does
 * @param paused whether it is paused everywhere
 * @param sampledAt when the newest sample of its history was taken, by this node's clock
 * @param history the last samples, oldest first
 */
public record TopicAnswer(
        String topic,
        int shards,
        long scheduled,
        long ready,
        long leased,
        long dead,
        long lagMillis,
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
     */
    public static TopicAnswer of(TopicStatus status, List<TopicSample> history) {
        TopicCounts counts = status.counts();
        return new TopicAnswer(
                status.topic(),
                status.shards(),
                counts.scheduled(),
                counts.ready(),
                counts.leased(),
                counts.dead(),
                counts.lag().toMillis(),
                status.consumers(),
                status.watchers(),
                status.paused(),
                history.isEmpty() ? null : history.get(history.size() - 1).at(),
                history.stream().map(Point::of).toList());
    }

    /** What a topic held at a moment. */
    public record Point(Instant at, long scheduled, long ready, long leased, long dead, long lagMillis) {

        static Point of(TopicSample sample) {
            TopicCounts counts = sample.status().counts();
            return new Point(
                    sample.at(),
                    counts.scheduled(),
                    counts.ready(),
                    counts.leased(),
                    counts.dead(),
                    counts.lag().toMillis());
        }
    }
}
