package io.delayqueue.template.receive;

import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Runs tasks on one thread, and counts the tasks and their runs. */
final class TestTasks implements PeriodicTaskScheduler, AutoCloseable {

    private final ScheduledExecutorService executor =
            Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "test-tasks"));
    private final AtomicInteger scheduled = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    int scheduled() {
        return scheduled.get();
    }

    int calls() {
        return calls.get();
    }

    @Nullable
    Throwable failure() {
        return failure.get();
    }

    @Override
    public TaskHandle schedule(String name, PeriodicTask task) {
        scheduled.incrementAndGet();
        Handle handle = new Handle(task);
        handle.wake();
        return handle;
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }

    private final class Handle implements TaskHandle {

        private final PeriodicTask task;
        private @Nullable Future<?> next;
        private long nextNanos;
        private boolean cancelled;

        Handle(PeriodicTask task) {
            this.task = task;
        }

        @Override
        public void wake() {
            wakeWithin(Duration.ZERO);
        }

        @Override
        public synchronized void wakeWithin(Duration time) {
            long at = System.nanoTime() + time.toNanos();
            if (cancelled || (next != null && at - nextNanos >= 0)) {
                return;
            }
            if (next != null) {
                next.cancel(false);
            }
            nextNanos = at;
            next = executor.schedule(this::run, time.toNanos(), TimeUnit.NANOSECONDS);
        }

        private void run() {
            synchronized (this) {
                next = null;
            }
            calls.incrementAndGet();
            try {
                wakeWithin(task.run());
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        }

        @Override
        public synchronized void cancel() {
            if (!cancelled) {
                scheduled.decrementAndGet();
            }
            cancelled = true;
            if (next != null) {
                next.cancel(false);
            }
        }
    }
}
