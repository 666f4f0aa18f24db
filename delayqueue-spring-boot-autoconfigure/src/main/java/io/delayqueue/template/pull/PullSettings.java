package io.delayqueue.template.pull;

import java.time.Duration;

/**
 * How pulling goes about. Immutable.
 *
 * @param sweep how long a due message may wait at most when every signal was lost, while somebody waits for it
 * @param unconfirmedSweep the same while the node doesn't hear its own signals
 * @param maxAttempts attempts permitted where the message doesn't say, 1 or more
 * @param grace for how long leases that are over are left alone after an outage, so that living owners renew first
 */
public record PullSettings(Duration sweep, Duration unconfirmedSweep, int maxAttempts, Duration grace) {

    /** The built-in values: 5 s, 1 s, 10 attempts, 10 s. */
    public static final PullSettings DEFAULTS =
            new PullSettings(Duration.ofSeconds(5), Duration.ofSeconds(1), 10, Duration.ofSeconds(10));

    /** Checks each range. */
    public PullSettings {
        if (sweep.compareTo(Duration.ofMillis(1)) < 0 || unconfirmedSweep.compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException(
                    "A sweep is 1 ms or more, but is " + sweep + ", or " + unconfirmedSweep + " when unconfirmed");
        }
        if (maxAttempts < 1) {
            throw new IllegalArgumentException("maxAttempts is 1 or more, but is " + maxAttempts);
        }
        if (grace.isNegative()) {
            throw new IllegalArgumentException("grace is zero or more, but is " + grace);
        }
    }
}
