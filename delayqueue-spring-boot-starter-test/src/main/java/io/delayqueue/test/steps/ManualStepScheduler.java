package io.delayqueue.test.steps;

import io.delayqueue.coordination.Step;
import io.delayqueue.coordination.StepScheduler;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

/** Notes which steps want to be called, and calls them when it is told to. It has no thread. Thread-safe. */
final class ManualStepScheduler implements StepScheduler {

    private static final long FOREVER = Duration.ofDays(365).toNanos();

    private final LongSupplier nanoTime;
    private final Runnable onWake;
    private final List<Handle> handles = new CopyOnWriteArrayList<>();

    /** {@code onWake} is told when a step wants to be called at once. */
    ManualStepScheduler(LongSupplier nanoTime, Runnable onWake) {
        this.nanoTime = nanoTime;
        this.onWake = onWake;
    }

    @Override
    public StepHandle schedule(String name, Step step) {
        Handle handle = new Handle(name, step, nanoTime.getAsLong());
        handles.add(handle);
        onWake.run();
        return handle;
    }

    /**
     * Calls each step that is due, once, also those that are scheduled by others of them, and lets the follow-up run after
     * each.
     *
     * @return how many
     * @throws IllegalStateException if a step fails; it stays due
     */
    int callDue(Runnable followUp) {
        int called = 0;
        Set<Handle> met = new HashSet<>();
        int before;
        do {
            before = met.size();
            for (Handle handle : handles) {
                if (met.add(handle) && handle.callIfDue()) {
                    called++;
                    followUp.run();
                }
            }
        } while (met.size() > before);
        return called;
    }

    /** How long until a step is due; zero when one is, a year when there is none. */
    Duration untilNext() {
        long now = nanoTime.getAsLong();
        long wait = FOREVER;
        for (Handle handle : handles) {
            wait = Math.min(wait, handle.nanosUntilDue(now));
        }
        return Duration.ofNanos(Math.max(0, wait));
    }

    private final class Handle implements StepHandle {

        private final String name;
        private final Step step;
        private long plannedFor;
        private boolean planned = true;
        private boolean cancelled;

        Handle(String name, Step step, long plannedFor) {
            this.name = name;
            this.step = step;
            this.plannedFor = plannedFor;
        }

        boolean callIfDue() {
            synchronized (this) {
                if (cancelled || !planned || nanoTime.getAsLong() - plannedFor < 0) {
                    return false;
                }
                planned = false;
            }
            try {
                Duration next = step.step();
                plan(nanoTime.getAsLong() + Math.min(FOREVER, Math.max(0, next.toNanos())));
                return true;
            } catch (Exception e) {
                plan(nanoTime.getAsLong());
                throw new IllegalStateException("The step " + name + " failed", e);
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
