package io.delayqueue.store;

import io.delayqueue.message.TopicCounts;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of messages of a shard, and its limits.
 *
 * @param limits the limits of the shard and what they permit now; null if it has no limits and no hold
 */
public record ShardCounts(TopicCounts counts, @Nullable LimitState limits) {

    /** The counts of an empty shard. */
    public static final ShardCounts ZERO = new ShardCounts(TopicCounts.ZERO, null);
}
