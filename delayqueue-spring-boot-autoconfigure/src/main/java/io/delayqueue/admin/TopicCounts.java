package io.delayqueue.admin;

import io.delayqueue.store.ShardCounts;
import java.time.Duration;
import java.util.List;

/**
 * How many messages of a topic stand where.
 *
 * @param scheduled not yet due
 * @param ready due and not claimed
 * @param leased being handled, or claimed for it
 * @param dead dead letters
 * @param lag for how long the oldest due message has been waiting, from its due time or, if that is later, from when it
 *     was sent; zero when none is. Where many messages were sent with due times that had passed, it may be told a little
 *     too short
 */
public record TopicCounts(long scheduled, long ready, long leased, long dead, Duration lag) {

    static TopicCounts of(List<ShardCounts> shards) {
        TopicCounts sum = new TopicCounts(0, 0, 0, 0, Duration.ZERO);
        for (ShardCounts shard : shards) {
            sum = sum.and(shard);
        }
        return sum;
    }

    private TopicCounts and(ShardCounts shard) {
        return new TopicCounts(
                scheduled + shard.scheduled(),
                ready + shard.ready(),
                leased + shard.leased(),
                dead + shard.dead(),
                lag.compareTo(shard.lag()) > 0 ? lag : shard.lag());
    }
}
