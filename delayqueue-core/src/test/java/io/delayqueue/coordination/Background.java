package io.delayqueue.coordination;

import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/** A scheduler that claims to have threads, but runs nothing: the test does. It counts how often a task is woken. */
record Background(Semaphore wakes) implements PeriodicTaskScheduler, TaskHandle {

    @Override
    public TaskHandle schedule(String name, PeriodicTask task) {
        return this;
    }

    @Override
    public boolean hasThreads() {
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
