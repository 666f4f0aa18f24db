package io.delayqueue.coordination;

import java.time.Duration;

/** Calls steps when they are due, on a few threads for all of them. Thread-safe. */
public interface StepScheduler {

    /**
     * Takes on a step; its first call comes at once.
     *
     * @param name for the log
     */
    StepHandle schedule(String name, Step step);

    /** A step that was taken on. Thread-safe. */
    interface StepHandle {

        /** Calls the step soon; if it is running, once more after it. A wake-up is never lost. */
        void wake();

        /** Calls the step after the given time, if it would not be called earlier anyway. */
        void wakeWithin(Duration time);

        /** Ends it: a call that is running may finish, none follows. */
        void cancel();
    }
}
