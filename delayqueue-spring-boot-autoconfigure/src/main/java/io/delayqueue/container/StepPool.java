package io.delayqueue.container;

import io.delayqueue.coordination.Step;
import io.delayqueue.coordination.StepScheduler;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs all steps of an engine on a few daemon threads, each exactly when it asked for or was woken. A step that fails is
 * called again after a back-off that doubles from 50 ms up to a second.
 */
final class StepPool implements StepScheduler, AutoCloseable {

    private static final long NEVER = Duration.ofDays(365).toNanos();
    private static final long FIRST_BACKOFF = Duration.ofMillis(50).toNanos();
    private static final long MAX_BACKOFF = Duration.ofSeconds(1).toNanos();

    /**
     * A busy step that changes threads after each call drains a backlog a little more slowly: 109,000 against 116,000
     * messages a second, medians of five pairs of runs that spread by 15 %.
     */
    private static final int CALLS_IN_A_ROW = 16;

    private final ScheduledThreadPoolExecutor executor;
    private final LongSupplier nanoTime;
    private final BiConsumer<String, Throwable> onFailure;

    StepPool(int threads, String name, LongSupplier nanoTime, BiConsumer<String, Throwable> onFailure) {
        AtomicInteger number = new AtomicInteger();
        this.nanoTime = nanoTime;
        this.onFailure = onFailure;
        this.executor = new ScheduledThreadPoolExecutor(threads, task -> {
            Thread thread = new Thread(task, name + "-step-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        executor.setKeepAliveTime(30, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
    }

    @Override
    public StepHandle schedule(String name, Step step) {
        Handle handle = new Handle(name, step);
        handle.wake();
        return handle;
    }

    /** Calls no step any more; a call that is running may finish. */
    @Override
    public void close() {
        executor.shutdown();
    }

    /** Waits until the threads have ended, and interrupts them if they don't. */
    boolean awaitEnd(Duration time) throws InterruptedException {
        boolean ended = executor.awaitTermination(time.toNanos(), TimeUnit.NANOSECONDS);
        executor.shutdownNow();
        return ended;
    }

    private final class Handle implements StepHandle {

        private final String name;
        private final Step step;
        private final Object lock = new Object();
        private @Nullable Future<?> planned;
        private volatile long plannedFor = Long.MAX_VALUE;
        private boolean running;
        private boolean cancelled;
        private volatile int failures;

        Handle(String name, Step step) {
            this.name = name;
            this.step = step;
        }

        @Override
        public void wake() {
            plan(nanoTime.getAsLong());
        }

        @Override
        public void wakeWithin(Duration time) {
            plan(nanoTime.getAsLong() + Math.max(0, Math.min(NEVER, time.toNanos())));
        }

        private void plan(long at) {
            if (isPlannedBy(at)) { // each answer of a busy listener asks, and most are not the first
                return;
            }
            synchronized (lock) {
                boolean backsOff = failures > 0 && !running;
                if (cancelled || isPlannedBy(at) || backsOff) {
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
            return earliest != Long.MAX_VALUE && at - earliest >= 0;
        }

        private void submit() {
            if (planned != null) {
                planned.cancel(false);
            }
            try {
                long delay = Math.max(0, plannedFor - nanoTime.getAsLong());
                planned = executor.schedule(this::run, delay, TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException closed) {
                cancelled = true;
            }
        }

        private void run() {
            synchronized (lock) {
                if (cancelled || running) {
                    return;
                }
                running = true;
                plannedFor = Long.MAX_VALUE;
            }
            boolean again = true;
            for (int calls = 1; again; calls++) {
                again = planNext(call(), calls < CALLS_IN_A_ROW && !executor.isShutdown());
            }
        }

        /** Returns whether the step is to be called again at once, on this thread. */
        private boolean planNext(long wait, boolean mayStay) {
            synchronized (lock) {
                if (!cancelled) {
                    long at = nanoTime.getAsLong() + wait;
                    if (plannedFor == Long.MAX_VALUE || at - plannedFor < 0 || failures > 0) {
                        plannedFor = at;
                    }
                    if (mayStay && isPlannedBy(nanoTime.getAsLong())) {
                        plannedFor = Long.MAX_VALUE;
                        return true;
                    }
                }
                running = false;
                if (!cancelled) {
                    submit();
                }
                return false;
            }
        }

        private long call() {
            try {
                Duration next = step.step();
                failures = 0;
                return Math.max(0, next.compareTo(Duration.ofDays(365)) > 0 ? NEVER : next.toNanos());
            } catch (Throwable e) { // whatever it is, no step may end the engine
                int count = failures + 1;
                failures = count;
                tell(e);
                return Math.min(MAX_BACKOFF, FIRST_BACKOFF << Math.min(10, count - 1));
            }
        }

        private void tell(Throwable failure) {
            try {
                onFailure.accept(name, failure);
            } catch (Throwable e) {
                failure.addSuppressed(e);
            }
        }

        @Override
        public void cancel() {
            synchronized (lock) {
                cancelled = true;
                if (planned != null) {
                    planned.cancel(false);
                }
            }
        }
    }
}
