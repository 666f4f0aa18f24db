package io.delayqueue.coordination;

import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import java.time.Duration;

/**
 * A task that runs periodically and sets the delay before its next run. Two runs never overlap.
 *
 * <p>If a run throws an exception, the scheduler logs it at a limited rate and runs the task again after a back-off of
 * at most a second.
 */
@FunctionalInterface
public interface PeriodicTask {

    /**
     * Runs the task once. A run may block only for a reply of Redis, and only briefly if {@link #wakenByReplies} was
     * called.
     *
     * @return delay before the next run, unless the task is woken earlier; zero for an immediate run
     */
    Duration run() throws Exception;

    /**
     * Called before the first run by a scheduler with few threads. From then on the task waits only briefly for a reply
     * of Redis and then returns; the reply wakes the task. {@link ReplyWait} implements this.
     *
     * @param handle the handle that the reply wakes
     */
    default void wakenByReplies(TaskHandle handle) {}
}
