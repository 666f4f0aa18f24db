package io.delayqueue.admin;

import io.delayqueue.store.ShardCounts;
import java.time.Duration;
import java.util.List;

/**
 * Numbers of messages of a topic by state.
 *
 * @param scheduled not yet due
 * @param ready due and not claimed
 * @param leased leased, waiting for a handler or being handled
 * @param dead dead letters
 * @param lag how long the oldest due message has been waiting since its due time or, if later, its send; zero if no
 *     message is due. It may be slightly too short if many messages were sent with due times in the past
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
