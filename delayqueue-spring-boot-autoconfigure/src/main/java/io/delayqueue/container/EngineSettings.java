package io.delayqueue.container;

import io.delayqueue.container.delivery.Pace;
import java.time.Duration;

/**
 * How the engine runs. Immutable.
 *
 * @param stepThreads threads for all steps, 1 to 64
 * @param sweep the longest that a due message waits when every signal was lost, 100 ms to 1 min
 * @param unconfirmedSweep the same while the node doesn't hear its own signals, at most {@code sweep}
 * @param heartbeat how often the node says that it lives, 100 ms to 1 min
 * @param heartbeatTimeout after how long of silence a node counts as dead, at least twice {@code heartbeat}
 * @param linger how long an answer may wait for company while there is other work, 0 to 1 s
 * @param confirmAfter a delivery that waited longer than this for a worker confirms its lease before it starts
 * @param retentionInterval how often dead letters are pruned
 * @param letterMaxAge how long a dead letter is kept
 * @param letterMaxCount how many dead letters a topic keeps
 */
public record EngineSettings(
        int stepThreads,
        Duration sweep,
        Duration unconfirmedSweep,
        Duration heartbeat,
        Duration heartbeatTimeout,
        Duration linger,
        Duration confirmAfter,
        Duration retentionInterval,
        Duration letterMaxAge,
        long letterMaxCount) {

    /** The built-in values. */
    public static final EngineSettings DEFAULTS = new EngineSettings(
            4,
            Duration.ofSeconds(5),
            Duration.ofSeconds(1),
            Duration.ofSeconds(5),
            Duration.ofSeconds(15),
            Duration.ofMillis(5),
            Duration.ofSeconds(1),
            Duration.ofMinutes(5),
            Duration.ofDays(30),
            100_000);

    /** Checks each range and how they go together. */
    public EngineSettings {
        if (stepThreads < 1 || stepThreads > 64) {
            throw new IllegalArgumentException("stepThreads is between 1 and 64, but is " + stepThreads);
        }
        requireRange("sweep", sweep, Duration.ofMillis(100), Duration.ofMinutes(1));
        requireRange("unconfirmedSweep", unconfirmedSweep, Duration.ofMillis(100), sweep);
        requireRange("heartbeat", heartbeat, Duration.ofMillis(100), Duration.ofMinutes(1));
        requireRange("heartbeatTimeout", heartbeatTimeout, heartbeat.multipliedBy(2), Duration.ofMinutes(10));
        requireRange("linger", linger, Duration.ZERO, Duration.ofSeconds(1));
        requireRange("confirmAfter", confirmAfter, Duration.ofMillis(1), Duration.ofMinutes(1));
        requireRange("retentionInterval", retentionInterval, Duration.ofMillis(100), Duration.ofDays(1));
        requireRange("letterMaxAge", letterMaxAge, Duration.ofSeconds(1), Duration.ofDays(36_500));
        if (letterMaxCount < 0) {
            throw new IllegalArgumentException("letterMaxCount is 0 or more, but is " + letterMaxCount);
        }
    }

    /** What concerns a poller. */
    Pace pace() {
        return new Pace(sweep, unconfirmedSweep, linger, confirmAfter);
    }

    private static void requireRange(String name, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(name + " is between " + min + " and " + max + ", but is " + value);
        }
    }
}
