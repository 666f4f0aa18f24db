package io.delayqueue.store;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The request of one poll.
 *
 * @param consumer name of the consumer, which no other consumer ever has: letters, digits and dots
 * @param sequence number of the poll: greater than that of the consumer's last poll on this shard, or equal in a repeat
 * @param token token of the messages that this poll claims, see {@link LeaseTokens}; a repeat has the same
 * @param claiming what to claim
 * @param reclaiming how to reclaim leases that have ended
 * @param signalDueMessagesLeft whether to publish a signal if due messages are left in the schedule
 * @param settlements settlements other than extensions, at most 500
 * @param extensions renewals by the engine and extensions by the application, at most 500
 * @param sinceLastPoll time since the consumer's last poll on this shard ran, by the consumer's monotonic clock; null if
 *     unknown. With it the script distinguishes a jump of Redis' clock from elapsed time
 */
public record PollRequest(
        String consumer,
        long sequence,
        String token,
        Claiming claiming,
        Reclaiming reclaiming,
        boolean signalDueMessagesLeft,
        List<Settlement> settlements,
        List<Settlement.Extend> extensions,
        @Nullable Duration sinceLastPoll) {

    /** The largest number of claims of a poll, and also of its settlements, of its extensions and of its reclaims. */
    public static final int MAX_BATCH = 500;

    /** The largest total size in bytes of the messages that a poll claims. A single message may be larger. */
    public static final int MAX_BYTES = 2 * 1024 * 1024;

    /** Creates a request without the time since the consumer's last poll. */
    public PollRequest(
            String consumer,
            long sequence,
            String token,
            Claiming claiming,
            Reclaiming reclaiming,
            boolean signalDueMessagesLeft,
            List<Settlement> settlements,
            List<Settlement.Extend> extensions) {
        this(consumer, sequence, token, claiming, reclaiming, signalDueMessagesLeft, settlements, extensions, null);
    }

    /** The same request with another time since the consumer's last poll. */
    public PollRequest withSinceLastPoll(@Nullable Duration time) {
        return new PollRequest(
                consumer, sequence, token, claiming, reclaiming, signalDueMessagesLeft, settlements, extensions, time);
    }

    /** The same request under another name, number and token, without the time since the last poll. */
    PollRequest renamed(String name, long number, String newToken) {
        return new PollRequest(
                name, number, newToken, claiming, reclaiming, signalDueMessagesLeft, settlements, extensions);
    }

    /**
     * What to claim.
     *
     * @param max largest number of messages, 0 to 500
     * @param maxBytes largest total size of the messages in bytes; a single message may be larger
     * @param lease length of the lease, unless the message has its own
     * @param suspect whether to claim a suspect, too, which is then handled in isolation unless a receiver gets it
     * @param receiver whether a receiver gets the messages, so that the end of a lease counts as an attempt and not as a
     *     crash
     * @param handlers number of claimed messages that are handled at once. A message with a crash is claimed only among
     *     these, or as the first
     */
    public record Claiming(int max, int maxBytes, Duration lease, boolean suspect, boolean receiver, int handlers) {

        /** Claims nothing: the poll only settles, renews or reclaims. */
        public static final Claiming NOTHING = new Claiming(0, MAX_BYTES, Duration.ofSeconds(1), false, false, 0);
    }

    /**
     * How to reclaim leases that have ended.
     *
     * @param max largest number of leases, 0 to 500
     * @param maxAttempts permitted attempts, unless the message has its own limit
     * @param crashes when to isolate and dead-letter messages whose leases end without a settlement
     * @param gap if the shard has leases and was not polled for longer than this, reclaiming is suspended
     * @param grace time for which reclaiming is then suspended, so that live owners can renew their leases first
     */
    public record Reclaiming(int max, int maxAttempts, CrashLimits crashes, Duration gap, Duration grace) {

        private static final Duration LATE = Duration.ofSeconds(1);

        /** The gap for a sweep interval. A shorter gap is a late sweep, a longer one an outage. */
        public static Duration gapFor(Duration sweep) {
            return sweep.plus(sweep.compareTo(LATE) < 0 ? sweep : LATE);
        }
    }
}
