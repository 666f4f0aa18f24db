package io.delayqueue.autoconfigure.http;

import io.delayqueue.coordination.StepScheduler;
import io.delayqueue.coordination.StepScheduler.StepHandle;
import io.delayqueue.store.ids.IdSweep;
import io.delayqueue.web.compat.JobPolls;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Sweeps the index of ids while the application runs; at its end it answers who waits, before the web server begins to wait
 * for its requests.
 */
final class CompatLifecycle implements SmartLifecycle {

    private final JobPolls polls;
    private final IdSweep sweep;
    private final StepScheduler steps;
    private @Nullable StepHandle sweeping;

    CompatLifecycle(JobPolls polls, IdSweep sweep, StepScheduler steps) {
        this.polls = polls;
        this.sweep = sweep;
        this.steps = steps;
    }

    @Override
    public synchronized void start() {
        if (sweeping == null) {
            polls.resume();
            sweeping = steps.schedule("ids", sweep::step);
        }
    }

    @Override
    public synchronized void stop() {
        if (sweeping != null) {
            sweeping.cancel();
            sweeping = null;
            polls.endWaits();
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return sweeping != null;
    }
}
