package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of messages of a shard by state.
 *
 * @param scheduled number of messages that are not yet due
 * @param ready number of messages that are due and not leased, including suspects
 * @param suspects number of messages that wait to be handled in isolation
 * @param leased number of leased messages
 * @param dead number of dead letters
 * @param unreviewed number of dead letters that were added since the last review
 * @param lag longest time that a due message has been waiting, counted from its due time or, if later, from its send;
 *     zero if no message is due. If many messages were sent with a past due time, the value may be slightly too low
 * @param times the times of some messages
 * @param limits the limits of the shard and what they permit now; null if it has no limits and no hold
 */
public record ShardCounts(
        long scheduled,
        long ready,
        long suspects,
        long leased,
        long dead,
        long unreviewed,
        Duration lag,
        Times times,
        @Nullable LimitState limits) {

    /**
     * Times of some messages of a shard, by Redis' clock.
     *
     * @param latestDue when the last scheduled message is due; null if none is scheduled
     * @param medianDue when half of the scheduled messages are due; null if none is scheduled
     * @param oldestUnreviewed when the oldest dead letter that is not reviewed was added; null if there is none
     */
    public record Times(
            @Nullable Instant latestDue,
            @Nullable Instant medianDue,
            @Nullable Instant oldestUnreviewed) {

        /** No times. */
        public static final Times NONE = new Times(null, null, null);
    }

    /** Creates the counts of a shard without times and limits. */
    public ShardCounts(
            long scheduled, long ready, long suspects, long leased, long dead, long unreviewed, Duration lag) {
        this(scheduled, ready, suspects, leased, dead, unreviewed, lag, Times.NONE, null);
    }

    /** The counts of an empty shard. */
    public static final ShardCounts ZERO = new ShardCounts(0, 0, 0, 0, 0, 0, Duration.ZERO);
}
