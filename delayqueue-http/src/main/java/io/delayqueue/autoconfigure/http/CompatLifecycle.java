package io.delayqueue.autoconfigure.http;

import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.web.compat.JobPolls;
import io.delayqueue.web.compat.ids.IdSweep;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Sweeps the index of ids while the application runs. On shutdown, responds to waiting clients before the web server
 * waits for its active requests.
 */
final class CompatLifecycle implements SmartLifecycle {

    private final JobPolls polls;
    private final IdSweep sweep;
    private final PeriodicTaskScheduler tasks;
    private @Nullable TaskHandle sweeping;

    CompatLifecycle(JobPolls polls, IdSweep sweep, PeriodicTaskScheduler tasks) {
        this.polls = polls;
        this.sweep = sweep;
        this.tasks = tasks;
    }

    @Override
    public synchronized void start() {
        if (sweeping == null) {
            polls.resume();
            sweeping = tasks.schedule("ids", sweep::run);
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
