package io.delayqueue.container;

import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs all tasks of an engine on a few daemon threads, each at the time that it returned or when it is woken. A task
 * that fails runs again after the {@linkplain PeriodicTask#backoff back-off}.
 *
 * <p>A run that is due begins on the timer's thread, without a change of threads: it is late otherwise. A task that is
 * woken runs on one of the other threads. All start with the first task and stay until the pool is closed, so that no
 * later run has to wait for a thread to be created.
 */
final class TaskPool implements PeriodicTaskScheduler, AutoCloseable {

    /** The time, or the wait, of a task that runs when it is woken. */
    private static final long UNTIL_WOKEN = Long.MAX_VALUE;

    /** Most runs of a task, each due at once, before other tasks may have the thread. */
    private static final int CALLS_IN_A_ROW = 16;

    private final ThreadPoolExecutor threads;
    private final ScheduledThreadPoolExecutor timer;
    private final LongSupplier nanoTime;
    private final Reporter reporter;

    /** Is told of failures. Its own failures are ignored. */
    interface Reporter {

        /** A run failed. */
        void failed(String task, Throwable failure);

        /** A task whose last run failed has done its work. */
        default void recovered(String task) {}
    }

    TaskPool(int size, ThreadFactory factory, LongSupplier nanoTime, Reporter reporter) {
        this.nanoTime = nanoTime;
        this.reporter = reporter;
        this.threads = new ThreadPoolExecutor(size, size, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        this.timer = new ScheduledThreadPoolExecutor(1, factory);
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public TaskHandle schedule(String name, PeriodicTask task) {
        threads.prestartAllCoreThreads();
        timer.prestartCoreThread();
        Handle handle = new Handle(name, task);
        handle.wake();
        return handle;
    }

    @Override
    public boolean runsInBackground() {
        return true;
    }

    /** Starts no further runs. A run in progress may finish. */
    @Override
    public void close() {
        timer.shutdown();
        threads.shutdown();
    }

    /** Waits until the threads have ended; after the given time it interrupts them and returns false. */
    boolean awaitEnd(Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        boolean ended = timer.awaitTermination(time.toNanos(), TimeUnit.NANOSECONDS)
                && threads.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        timer.shutdownNow();
        threads.shutdownNow();
        return ended;
    }

    /** A scheduled task. The lock guards when and whether it runs. */
    private final class Handle implements TaskHandle, Runnable {

        private final String name;
        private final PeriodicTask task;
        private final Object lock = new Object();
        private @Nullable Future<?> planned;
        /** When the task is to run; written under the lock, read without it by {@link #wake()}. */
        private volatile long plannedFor = UNTIL_WOKEN;

        private boolean running;
        private boolean cancelled;
        /** Whether the last run failed, so that the next one waits for the back-off. */
        private volatile boolean backsOff;
        /** Number of failures since the last success. Used by runs only. */
        private int failures;

        Handle(String name, PeriodicTask task) {
            this.name = name;
            this.task = task;
        }

        @Override
        public void wake() {
            plan(nanoTime.getAsLong());
        }

        @Override
        public void wakeWithin(Duration time) {
            if (time.compareTo(PeriodicTask.UNTIL_WOKEN) < 0) {
                plan(nanoTime.getAsLong() + Math.max(0, time.toNanos()));
            }
        }

        private void plan(long at) {
            if (isPlannedBy(at)) { // without the lock: a busy listener calls this for each settlement
                return;
            }
            synchronized (lock) {
                if (cancelled || isPlannedBy(at) || (backsOff && !running)) {
                    return;
                }
                plannedFor = at;
                if (!running) {
                    submit();
                }
            }
        }

        private boolean isPlannedBy(long at) {
            long earliest = plannedFor;
            return earliest != UNTIL_WOKEN && at - earliest >= 0;
        }

        private void submit() {
            cancelPlanned();
            long delay = plannedFor - nanoTime.getAsLong();
            try {
                if (delay <= 0) {
                    threads.execute(this);
                } else {
                    planned = timer.schedule(this, delay, TimeUnit.NANOSECONDS);
                }
            } catch (RejectedExecutionException closed) {
                cancelled = true;
            }
        }

        private void cancelPlanned() {
            if (planned != null) {
                planned.cancel(false);
                planned = null;
            }
        }

        @Override
        public void run() {
            synchronized (lock) {
                if (cancelled || running || threads.isShutdown()) {
                    return;
                }
                running = true;
                plannedFor = UNTIL_WOKEN;
            }
            boolean again = true;
            for (int calls = 1; again; calls++) {
                again = planNext(call(), calls < CALLS_IN_A_ROW && !threads.isShutdown());
            }
        }

        /** Returns whether the task runs again at once, on this thread. */
        private boolean planNext(long wait, boolean mayStay) {
            synchronized (lock) {
                if (!cancelled) {
                    long at = nanoTime.getAsLong() + wait;
                    if (wait != UNTIL_WOKEN && (plannedFor == UNTIL_WOKEN || at - plannedFor < 0 || backsOff)) {
                        plannedFor = at;
                    }
                    if (mayStay && isPlannedBy(nanoTime.getAsLong())) {
                        plannedFor = UNTIL_WOKEN;
                        return true;
                    }
                }
                running = false;
                if (!cancelled && plannedFor != UNTIL_WOKEN) {
                    submit();
                }
                return false;
            }
        }

        private long call() {
            try {
                Duration next = task.run();
                backsOff = false;
                if (failures > 0 && !task.isWaiting()) {
                    failures = 0;
                    report(() -> reporter.recovered(name));
                }
                return next.compareTo(PeriodicTask.UNTIL_WOKEN) < 0 ? Math.max(0, next.toNanos()) : UNTIL_WOKEN;
            } catch (Throwable e) { // no failure of a task may end the engine
                backsOff = true;
                failures++;
                report(() -> reporter.failed(name, e));
                return PeriodicTask.backoff(failures).toNanos();
            }
        }

        private void report(Runnable event) {
            try {
                event.run();
            } catch (Throwable ignored) {
                // a failure of the reporter must not end the task
            }
        }

        @Override
        public void cancel() {
            synchronized (lock) {
                cancelled = true;
                cancelPlanned();
            }
        }
    }
}
