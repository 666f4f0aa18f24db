package io.delayqueue.template.receive;

import io.delayqueue.Internal;
import io.delayqueue.message.DurationText;
import io.delayqueue.store.CrashLimits;
import java.time.Duration;

/**
 * Settings of receivers. Immutable.
 *
 * @param sweep interval between sweeps while receivers wait, 1 ms or more; the longest delay of a due message if all
 *     signals are lost
 * @param unconfirmedSweep interval between sweeps while the node does not receive its own signals, 1 ms or more
 * @param maxAttempts permitted attempts, unless the message has its own limit, 1 or more
 * @param maxPostponements permitted postponements of a message, 0 for unlimited
 * @param crashes when to isolate and dead-letter messages whose leases end without a settlement
 * @param grace time after an outage in which leases that have ended are not reclaimed, so that running owners can renew them,
 *     zero or more
 */
@Internal
public record ReceiveSettings(
        Duration sweep,
        Duration unconfirmedSweep,
        int maxAttempts,
        int maxPostponements,
        CrashLimits crashes,
        Duration grace) {

    /** The default values: 5 s, 1 s, 10 attempts, unlimited postponements, 10 s. */
    public static final ReceiveSettings DEFAULTS = new ReceiveSettings(
            Duration.ofSeconds(5), Duration.ofSeconds(1), 10, 0, CrashLimits.DEFAULTS, Duration.ofSeconds(10));

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a value is out of its range
     */
    public ReceiveSettings {
        if (sweep.compareTo(Duration.ofMillis(1)) < 0 || unconfirmedSweep.compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException("sweep and unconfirmedSweep must be 1 ms or more, but were "
                    + DurationText.of(sweep) + " and " + DurationText.of(unconfirmedSweep));
        }
        if (maxAttempts < 1 || maxPostponements < 0) {
            throw new IllegalArgumentException("maxAttempts must be 1 or more and maxPostponements 0 or more, but were "
                    + maxAttempts + " and " + maxPostponements);
        }
        if (grace.isNegative()) {
            throw new IllegalArgumentException("grace must be zero or more, but was " + DurationText.of(grace));
        }
    }
}
