package io.delayqueue.store;

import io.delayqueue.message.MessageState;
import io.delayqueue.message.Shard;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reads many messages of a shard, for inspection. Each method runs one script in one round trip, writes nothing and
 * treats a shard that does not exist as empty. No method blocks. Thread-safe.
 *
 * <p>Futures fail with a {@link io.delayqueue.redis.RedisCallException} if the script has no reply, and with a
 * {@link TopicConflictException} if the shard has another shard count or format than this process expects.
 */
public interface ShardReader {

    /** The largest number of messages of a listing. */
    int MAX_LISTED = 500;

    /** The largest number of buckets of a forecast. */
    int MAX_BUCKETS = 120;

    /**
     * Lists messages of one state. Scheduled and ready messages are ordered by due time, leased messages by the end of
     * the lease; messages with equal times are ordered by id.
     *
     * @param after the place after which the listing starts, even if no message is there any more; null for the
     *     beginning
     * @param count largest number of messages, 1 to 500; large or incomplete messages reduce it
     */
    CompletableFuture<Listing> list(Shard shard, MessageState state, Listing.@Nullable Place after, int count);

    /**
     * Counts scheduled messages by due time.
     *
     * @param width width of a bucket, in whole milliseconds
     * @param buckets number of buckets, 1 to 120
     * @return the counts; empty if the shard does not exist
     */
    CompletableFuture<Optional<Forecast>> upcoming(Shard shard, Duration width, int buckets);
}
