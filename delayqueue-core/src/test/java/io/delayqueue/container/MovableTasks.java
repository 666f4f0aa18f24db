package io.delayqueue.container;

import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.message.DaemonThreads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks on a {@link TaskPool}, by a {@link MovableTime}. A run ends with the reply that it waits for. A task that
 * fails runs again after the back-off of the pool, by the system clock.
 */
public final class MovableTasks implements PeriodicTaskScheduler, AutoCloseable {

    private static final int THREADS = 16;

    private final MovableTime time;
    private final TaskPool pool;
    private final List<Handle> handles = new CopyOnWriteArrayList<>();
    private final AtomicInteger calls = new AtomicInteger();
    private volatile int moves;

    /**
     * Creates tasks that share one thread.
     *
     * @param failed receives the names and failures of tasks
     */
    public MovableTasks(MovableTime time, BiConsumer<String, Throwable> failed) {
        this(time, 1, failed::accept);
    }

    MovableTasks(MovableTime time, TaskPool.Reporter listener) {
        this(time, THREADS, listener);
    }

    private MovableTasks(MovableTime time, int threads, TaskPool.Reporter listener) {
        this.time = time;
        this.pool = new TaskPool(
                threads, DaemonThreads.factory(Thread::new, "delayqueue-test-task"), System::nanoTime, listener);
        time.drives(this);
    }

    @Override
    public TaskHandle schedule(String name, PeriodicTask task) {
        Handle handle = new Handle(task);
        handles.add(handle);
        handle.pooled(pool.schedule(name, handle));
        return handle;
    }

    public int scheduled() {
        return handles.size();
    }

    /** Number of runs. */
    public int calls() {
        return calls.get();
    }

    /** Plans all tasks anew. */
    void moved() {
        synchronized (this) {
            moves++;
        }
        handles.forEach(Handle::plan);
    }

    /** Whether no task is due or runs, except those whose last run failed. */
    public boolean areIdle() {
        return handles.stream().allMatch(Handle::isIdle);
    }

    @Override
    public void close() {
        pool.close();
    }

    private final class Handle implements TaskHandle, PeriodicTask {

        private final PeriodicTask task;
        private @Nullable TaskHandle pooled;
        private long due = Long.MAX_VALUE;
        private boolean running = true; // the first run begins at once
        private boolean failing;

        Handle(PeriodicTask task) {
            this.task = task;
        }

        private void pooled(TaskHandle handle) {
            synchronized (this) {
                pooled = handle;
            }
            plan();
        }

        @Override
        public Duration run() throws Exception {
            int before = moves;
            calls.incrementAndGet();
            synchronized (this) {
                due = Long.MAX_VALUE;
                running = true;
            }
            Duration next;
            try {
                next = task.run();
            } catch (Throwable e) {
                ended(true, Long.MAX_VALUE);
                throw e;
            }
            long now = time.getAsLong();
            boolean waits = next.compareTo(UNTIL_WOKEN) < 0;
            boolean again = before != moves; // the delay may be based on the time before the move
            return ended(false, again ? now : waits ? now + next.toNanos() : Long.MAX_VALUE);
        }

        private synchronized Duration ended(boolean failed, long next) {
            running = false;
            failing = failed;
            due = Math.min(due, next);
            return due == Long.MAX_VALUE ? UNTIL_WOKEN : Duration.ofNanos(Math.max(0, due - time.getAsLong()));
        }

        private void plan() {
            TaskHandle handle;
            Duration wait;
            synchronized (this) {
                if (pooled == null || due == Long.MAX_VALUE) {
                    return;
                }
                handle = pooled;
                wait = Duration.ofNanos(Math.max(0, due - time.getAsLong()));
            }
            handle.wakeWithin(wait);
        }

        private synchronized boolean isIdle() {
            return failing || (!running && due - time.getAsLong() > 0);
        }

        @Override
        public void wake() {
            wakeWithin(Duration.ZERO);
        }

        @Override
        public void wakeWithin(Duration wait) {
            synchronized (this) {
                due = Math.min(due, time.getAsLong() + wait.toNanos());
            }
            plan();
        }

        @Override
        public void cancel() {
            handles.remove(this);
            synchronized (this) {
                if (pooled != null) {
                    pooled.cancel();
                }
            }
        }
    }
}
