package io.delayqueue.test.tasks;

import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

/** Records when tasks are due, and runs due tasks on request. Has no thread. Thread-safe. */
final class ManualTaskScheduler implements PeriodicTaskScheduler {

    private static final long FOREVER = Duration.ofDays(365).toNanos();

    private final LongSupplier nanoTime;
    private final Runnable onWake;
    private final List<Handle> handles = new CopyOnWriteArrayList<>();

    /**
     * Creates a scheduler without tasks.
     *
     * @param onWake called when a task becomes due immediately
     */
    ManualTaskScheduler(LongSupplier nanoTime, Runnable onWake) {
        this.nanoTime = nanoTime;
        this.onWake = onWake;
    }

    @Override
    public TaskHandle schedule(String name, PeriodicTask task) {
        Handle handle = new Handle(name, task, nanoTime.getAsLong());
        handles.add(handle);
        onWake.run();
        return handle;
    }

    /**
     * Runs each due task once, including tasks that other due tasks schedule. Runs the follow-up after each task.
     *
     * @return number of tasks that ran
     * @throws IllegalStateException if a task fails; it stays due
     */
    int runDue(Runnable followUp) {
        int ran = 0;
        Set<Handle> visited = new HashSet<>();
        int before;
        do {
            before = visited.size();
            for (Handle handle : handles) {
                if (visited.add(handle) && handle.runIfDue()) {
                    ran++;
                    followUp.run();
                }
            }
        } while (visited.size() > before);
        return ran;
    }

    /** Runs a task if it is scheduled and due. Throws as {@link #runDue} does. */
    void runIfDue(PeriodicTask task) {
        for (Handle handle : handles) {
            if (handle.task == task) {
                handle.runIfDue();
            }
        }
    }

    /** Returns the time until a task is due: zero if a task is due, a year if there are no tasks. */
    Duration untilNext() {
        long now = nanoTime.getAsLong();
        long wait = FOREVER;
        for (Handle handle : handles) {
            wait = Math.min(wait, handle.nanosUntilDue(now));
        }
        return Duration.ofNanos(Math.max(0, wait));
    }

    private final class Handle implements TaskHandle {

        private final String name;
        private final PeriodicTask task;
        private long plannedFor;
        private boolean planned = true;
        private boolean cancelled;

        Handle(String name, PeriodicTask task, long plannedFor) {
            this.name = name;
            this.task = task;
            this.plannedFor = plannedFor;
        }

        boolean runIfDue() {
            synchronized (this) {
                if (cancelled || !planned || nanoTime.getAsLong() - plannedFor < 0) {
                    return false;
                }
                planned = false;
            }
            try {
                Duration next = task.run();
                plan(nanoTime.getAsLong() + Math.min(FOREVER, Math.max(0, next.toNanos())));
                return true;
            } catch (Exception e) {
                plan(nanoTime.getAsLong());
                throw new IllegalStateException("The task " + name + " failed", e);
            }
        }

        private synchronized void plan(long at) {
            if (!planned || at - plannedFor < 0) {
                planned = true;
                plannedFor = at;
            }
        }

        synchronized long nanosUntilDue(long now) {
            return cancelled || !planned ? FOREVER : plannedFor - now;
        }

        @Override
        public void wake() {
            plan(nanoTime.getAsLong());
            onWake.run();
        }

        @Override
        public void wakeWithin(Duration time) {
            plan(nanoTime.getAsLong() + Math.min(FOREVER, Math.max(0, time.toNanos())));
        }

        @Override
        public void cancel() {
            synchronized (this) {
                cancelled = true;
            }
            handles.remove(this);
        }
    }
}
