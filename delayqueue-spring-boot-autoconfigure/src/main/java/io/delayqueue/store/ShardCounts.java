package io.delayqueue.store;

import java.time.Duration;

/**
 * How many messages stand where.
 *
 * @param scheduled not yet due
 * @param ready due and not claimed
 * @param leased claimed
 * @param dead dead letters
 * @param lag for how long the oldest due message has been waiting, from its due time or, if that is later, from when it
 *     was sent; zero when none is. Where many messages were sent with due times that had passed, it may be told a little
 *     too short
 */
public record ShardCounts(long scheduled, long ready, long leased, long dead, Duration lag) {

    /** Those of a shard that holds nothing. */
    public static final ShardCounts ZERO = new ShardCounts(0, 0, 0, 0, Duration.ZERO);
}
