package io.delayqueue.store;

import java.time.Duration;

/**
 * How many messages stand where.
 *
 * @param scheduled not yet due
 * @param ready due and not claimed
 * @param leased claimed
 * @param dead dead letters
 * @param lag for how long the oldest due message has been waiting; zero when none is
 */
public record ShardCounts(long scheduled, long ready, long leased, long dead, Duration lag) {

    /** Those of a shard that holds nothing. */
    public static final ShardCounts ZERO = new ShardCounts(0, 0, 0, 0, Duration.ZERO);
}
