package io.delayqueue.template.receive;

import io.delayqueue.container.MovableTime;
import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Runs tasks on one thread by a clock that the test moves, and counts the tasks and their runs. */
final class TestTasks implements PeriodicTaskScheduler, AutoCloseable {

    private final ScheduledExecutorService executor =
            Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "test-tasks"));
    private final MovableTime clock = new MovableTime();
    private final Set<Handle> handles = ConcurrentHashMap.newKeySet();
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    MovableTime clock() {
        return clock;
    }

    /** Moves the clock. Tasks that have become due run at once. */
    void pass(Duration time) {
        clock.jump(time);
        handles.forEach(Handle::plan);
    }

    int scheduled() {
        return handles.size();
    }

    int calls() {
        return calls.get();
    }

    /** Whether no task runs or is due. */
    boolean areIdle() {
        return handles.stream().allMatch(Handle::isIdle);
    }

    @Nullable
    Throwable failure() {
        return failure.get();
    }

    @Override
    public TaskHandle schedule(String name, PeriodicTask task) {
        Handle handle = new Handle(task);
        handles.add(handle);
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
        private @Nullable Long nextNanos;
        private boolean running;
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
            long at = clock.getAsLong() + time.toNanos();
            if (nextNanos == null || at - nextNanos < 0) {
                nextNanos = at;
                plan();
            }
        }

        synchronized void plan() {
            if (next != null) {
                next.cancel(false);
            }
            if (nextNanos != null && !cancelled) {
                next = executor.schedule(this::run, nextNanos - clock.getAsLong(), TimeUnit.NANOSECONDS);
            }
        }

        synchronized boolean isIdle() {
            return !running && (nextNanos == null || nextNanos - clock.getAsLong() > 0);
        }

        private void run() {
            synchronized (this) {
                if (cancelled || nextNanos == null || nextNanos - clock.getAsLong() > 0) {
                    return;
                }
                nextNanos = null;
                running = true;
            }
            calls.incrementAndGet();
            try {
                wakeWithin(task.run());
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            } finally {
                ended();
            }
        }

        private synchronized void ended() {
            running = false;
        }

        @Override
        public synchronized void cancel() {
            cancelled = true;
            nextNanos = null;
            handles.remove(this);
            plan();
        }
    }
}
