package io.delayqueue.store;

import io.delayqueue.message.MessageState;
import io.delayqueue.message.Shard;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads many messages of a shard, for whoever looks at the queue: one verb, one script, one round trip. Leaves nothing in
 * Redis; a shard that isn't there is an empty one. Thread-safe.
 *
 * <p>Every verb throws {@link io.delayqueue.redis.RedisCallException} when there is no answer, and
 * {@link TopicConflictException} when the shard is not what this process believes it to be.
 */
public interface ShardReader {

    /** The most messages of a listing. */
    int MAX_LISTED = 500;

    /** The most buckets of a forecast. */
    int MAX_BUCKETS = 120;

    /**
     * Reads messages of a state: scheduled and ready ones in the order of their due times, leased ones in that of their
     * leases' ends, then in that of their ids.
     *
     * @param after behind which to begin, whether somebody stands there or not; null for the beginning
     * @param count at most so many, 1 to 500; fewer when they are large or some are passed over
     */
    Listing list(Shard shard, MessageState state, Listing.@Nullable Place after, int count);

    /**
     * Counts scheduled messages by when they will be due.
     *
     * @param width of a bucket, in whole milliseconds
     * @param buckets 1 to 120
     * @return empty if the shard isn't there
     */
    Optional<Forecast> upcoming(Shard shard, Duration width, int buckets);
}
