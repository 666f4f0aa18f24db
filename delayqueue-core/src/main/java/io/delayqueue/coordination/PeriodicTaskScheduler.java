package io.delayqueue.coordination;

import java.time.Duration;

/** Runs periodic tasks on a small pool of threads. Thread-safe. */
public interface PeriodicTaskScheduler {

    /**
     * Schedules a task. Its first run starts at once.
     *
     * @param name name of the task in the log
     * @throws OutOfMemoryError if this is the first task and no thread can be created
     */
    TaskHandle schedule(String name, PeriodicTask task);

    /** Whether tasks run by themselves, and thus on time. False if a test runs them, however late. */
    default boolean runsInBackground() {
        return false;
    }

    /** The handle of a scheduled task. Thread-safe. */
    interface TaskHandle {

        /** Runs the task at once, or, if it is running, once more after that run. A wake-up is never lost. */
        void wake();

        /** Runs the task after the given time at the latest. */
        void wakeWithin(Duration time);

        /** Cancels the task. A run in progress may finish; no other run follows. */
        void cancel();
    }
}
