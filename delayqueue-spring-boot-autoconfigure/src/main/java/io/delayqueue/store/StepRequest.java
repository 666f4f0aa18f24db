package io.delayqueue.store;

import java.time.Duration;
import java.util.List;

/**
 * What a consumer's step is to do.
 *
 * @param consumer unique among all consumers ever: letters, digits and dots
 * @param sequence greater than that of the consumer's last step on this shard, unless it is its repeat
 * @param claiming what to claim
 * @param reclaiming how to take leases back
 * @param announceSurplus whether to publish a signal if due messages are left behind
 * @param settles at most 500
 * @param renewals at most 500
 */
public record StepRequest(
        String consumer,
        long sequence,
        Claiming claiming,
        Reclaiming reclaiming,
        boolean announceSurplus,
        List<Settle> settles,
        List<Renewal> renewals) {

    /** The most messages that a step claims, settles, renews or reclaims of each. */
    public static final int MAX_BATCH = 500;

    /** The most bytes of messages that a step claims, but for a single larger one. */
    public static final int MAX_BYTES = 2 * 1024 * 1024;

    /** The token of the messages that this step claims. */
    public String token() {
        return consumer + "-" + Long.toString(sequence, 36);
    }

    /**
     * What to claim.
     *
     * @param max at most so many, 0 to 500
     * @param maxBytes at most so many bytes of messages, but at least one message
     * @param lease for how long, where the message doesn't say
     */
    public record Claiming(int max, int maxBytes, Duration lease) {}

    /**
     * How to take leases back.
     *
     * @param max at most so many, 0 to 500
     * @param maxAttempts attempts permitted, where the message doesn't say
     * @param gap when the shard wasn't stepped for longer than this, and has leases, nothing is taken back ...
     * @param grace ... for this long, so that living owners renew first
     */
    public record Reclaiming(int max, int maxAttempts, Duration gap, Duration grace) {

        private static final Duration LATE = Duration.ofSeconds(1);

        /** The gap that tells an outage from a sweep that comes a little late. */
        public static Duration gapFor(Duration sweep) {
            return sweep.plus(sweep.compareTo(LATE) < 0 ? sweep : LATE);
        }
    }
}
