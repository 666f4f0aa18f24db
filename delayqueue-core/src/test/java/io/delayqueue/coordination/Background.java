package io.delayqueue.coordination;

import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/** A scheduler that reports threads of its own, but runs nothing: the test runs the task. It counts wake-ups. */
record Background(Semaphore wakes) implements PeriodicTaskScheduler, TaskHandle {

    @Override
    public TaskHandle schedule(String name, PeriodicTask task) {
        return this;
    }

    @Override
    public boolean runsInBackground() {
        return true;
    }

    @Override
    public void wake() {
        wakes.release();
    }

    @Override
    public void wakeWithin(Duration time) {
        wakes.release();
    }

    @Override
    public void cancel() {}
}
