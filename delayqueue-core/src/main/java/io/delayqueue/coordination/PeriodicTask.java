package io.delayqueue.coordination;

import java.time.Duration;

/**
 * A task that runs periodically and sets the delay before its next run. Two runs never overlap.
 *
 * <p>If a run throws an exception, the scheduler logs it at a limited rate and runs the task again after a back-off of
 * at most a second.
 */
@FunctionalInterface
public interface PeriodicTask {

    /** The back-off after some failures in a row, from 1: it doubles from 50 ms to 1 s. */
    static Duration backoff(int failures) {
        return Duration.ofMillis(Math.min(1000, 50L << Math.min(5, failures - 1)));
    }

    /** The delay of a task that has nothing to do until it is woken. */
    Duration UNTIL_WOKEN = Duration.ofDays(365);

    /**
     * Runs the task once. A run must not block.
     *
     * @return delay before the next run, unless the task is woken earlier; zero for an immediate run
     */
    Duration run() throws Exception;

    /** Whether the last run neither succeeded nor failed, because it waits for a reply. */
    default boolean isWaiting() {
        return false;
    }
}
