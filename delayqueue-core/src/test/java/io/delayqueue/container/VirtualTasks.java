package io.delayqueue.container;

import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Runs the tasks of any number of nodes in the order of a virtual time, which advances only in {@link #run}. */
final class VirtualTasks implements PeriodicTaskScheduler, LongSupplier {

    private final List<Handle> handles = new ArrayList<>();
    private long now;

    @Override
    public synchronized long getAsLong() {
        return now;
    }

    @Override
    public synchronized TaskHandle schedule(String name, PeriodicTask task) {
        Handle handle = new Handle(task);
        handles.add(handle);
        return handle;
    }

    /** Advances the time and runs the tasks that become due. Woken tasks run without delay. */
    void run(Duration time) throws Exception {
        long end = getAsLong() + time.toNanos();
        for (Optional<Handle> next = nextUntil(end); next.isPresent(); next = nextUntil(end)) {
            Duration wait = next.get().task.run();
            next.get().wakeWithin(wait);
        }
    }

    private synchronized Optional<Handle> nextUntil(long end) {
        Optional<Handle> next =
                handles.stream().filter(handle -> handle.at <= end).min(Comparator.comparingLong(handle -> handle.at));
        now = next.map(handle -> Math.max(now, handle.at)).orElse(end);
        next.ifPresent(handle -> handle.at = Long.MAX_VALUE);
        return next;
    }

    private final class Handle implements TaskHandle {

        private final PeriodicTask task;
        private long at = now;

        Handle(PeriodicTask task) {
            this.task = task;
        }

        @Override
        public void wake() {
            wakeWithin(Duration.ZERO);
        }

        @Override
        public void wakeWithin(Duration time) {
            synchronized (VirtualTasks.this) {
                at = Math.min(at, now + time.toNanos());
            }
        }

        @Override
        public void cancel() {
            synchronized (VirtualTasks.this) {
                handles.remove(this);
            }
        }
    }
}
