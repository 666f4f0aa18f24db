package io.delayqueue.template.pull;

import io.delayqueue.coordination.Step;
import io.delayqueue.coordination.StepScheduler;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Calls steps on one thread, and says how many it has. */
final class TestSteps implements StepScheduler, AutoCloseable {

    private final ScheduledExecutorService executor =
            Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "test-steps"));
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
    public StepHandle schedule(String name, Step step) {
        scheduled.incrementAndGet();
        Handle handle = new Handle(step);
        handle.wake();
        return handle;
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }

    private final class Handle implements StepHandle {

        private final Step step;
        private @Nullable Future<?> next;
        private long nextNanos;
        private boolean cancelled;

        Handle(Step step) {
            this.step = step;
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
                wakeWithin(step.step());
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
