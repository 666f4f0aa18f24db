package io.delayqueue.container;

import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.store.CrashLimits;
import java.time.Duration;

/**
 * Settings of the engine. Immutable.
 *
 * @param taskThreads threads for all tasks, 1 to 64
 * @param sweep interval between sweeps, 100 ms to 1 min; the longest delay of a due message if all signals are lost
 * @param unconfirmedSweep interval between sweeps while the node does not receive its own signals, 100 ms to
 *     {@code sweep}
 * @param heartbeat interval between node heartbeats, 100 ms to 1 min
 * @param heartbeatTimeout time without a heartbeat after which a node counts as failed, from twice {@code heartbeat} to
 *     10 min
 * @param linger longest wait of a settlement for a batch while the workers are busy, 0 to 1 s
 * @param confirmAfter wait for a worker after which a delivery confirms its lease before it starts, 1 ms to 1 min
 * @param crashes when to isolate and dead-letter messages whose leases end without a settlement
 * @param slowIfFailingAlone whether a listener claims slower while it fails on this node and succeeds on another
 * @param retentionInterval interval between prunings of dead letters, 100 ms to 1 d
 * @param deadLetterMaxAge longest time that a dead letter is kept, 1 s to 36,500 d
 * @param deadLetterMaxCount most dead letters kept per topic, 0 or more
 * @param deadLetterMaxBytes most bytes of dead letters kept per topic, 0 or more
 */
public record EngineSettings(
        int taskThreads,
        Duration sweep,
        Duration unconfirmedSweep,
        Duration heartbeat,
        Duration heartbeatTimeout,
        Duration linger,
        Duration confirmAfter,
        CrashLimits crashes,
        boolean slowIfFailingAlone,
        Duration retentionInterval,
        Duration deadLetterMaxAge,
        long deadLetterMaxCount,
        long deadLetterMaxBytes) {

    /** The default values. */
    public static final EngineSettings DEFAULTS = new EngineSettings(
            4,
            Duration.ofSeconds(5),
            Duration.ofSeconds(1),
            Duration.ofSeconds(5),
            Duration.ofSeconds(15),
            Duration.ofMillis(5),
            Duration.ofSeconds(1),
            CrashLimits.DEFAULTS,
            true,
            Duration.ofMinutes(5),
            Duration.ofDays(30),
            100_000,
            256L * 1024 * 1024);

    /**
     * Checks the ranges.
     *
     * @throws InvalidOptionException if a value is out of its range
     */
    public EngineSettings {
        InvalidOptionException.requireRange("taskThreads", taskThreads, 1, 64);
        InvalidOptionException.requireRange("sweep", sweep, Duration.ofMillis(100), Duration.ofMinutes(1));
        InvalidOptionException.requireRange("unconfirmedSweep", unconfirmedSweep, Duration.ofMillis(100), sweep);
        InvalidOptionException.requireRange("heartbeat", heartbeat, Duration.ofMillis(100), Duration.ofMinutes(1));
        InvalidOptionException.requireRange(
                "heartbeatTimeout", heartbeatTimeout, heartbeat.multipliedBy(2), Duration.ofMinutes(10));
        InvalidOptionException.requireRange("linger", linger, Duration.ZERO, Duration.ofSeconds(1));
        InvalidOptionException.requireRange("confirmAfter", confirmAfter, Duration.ofMillis(1), Duration.ofMinutes(1));
        InvalidOptionException.requireRange(
                "retentionInterval", retentionInterval, Duration.ofMillis(100), Duration.ofDays(1));
        InvalidOptionException.requireRange(
                "deadLetterMaxAge", deadLetterMaxAge, Duration.ofSeconds(1), Duration.ofDays(36_500));
        InvalidOptionException.require(
                deadLetterMaxCount >= 0, "deadLetterMaxCount", "must be 0 or more, but was " + deadLetterMaxCount);
        InvalidOptionException.require(
                deadLetterMaxBytes >= 0, "deadLetterMaxBytes", "must be 0 or more, but was " + deadLetterMaxBytes);
    }
}
