package io.delayqueue.container;

import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.listener.ListenerProgress;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Records the success, failures and delay of a task. Reads the monotonic clock once per run. */
final class TaskMonitor implements PeriodicTask {

    private final PeriodicTask task;
    private final BooleanSupplier waitsForReply;
    private final LongSupplier nanoTime;
    private final boolean punctual;
    private volatile boolean succeeded;
    private volatile long succeededAt;
    private volatile long plannedFor;
    private volatile @Nullable Failing failing;

    /** The start of a series of failures, and the last failure. */
    private record Failing(long since, Throwable failure) {}

    /**
     * Wraps a task.
     *
     * @param waitsForReply whether the task still waits for a reply of Redis after its run
     * @param punctual false if a test runs the tasks: then no task is ever overdue
     */
    TaskMonitor(PeriodicTask task, BooleanSupplier waitsForReply, LongSupplier nanoTime, boolean punctual) {
        this.task = task;
        this.waitsForReply = waitsForReply;
        this.nanoTime = nanoTime;
        this.punctual = punctual;
        this.plannedFor = nanoTime.getAsLong();
    }

    @Override
    public Duration run() throws Exception {
        try {
            Duration next = task.run();
            long now = nanoTime.getAsLong();
            if (waitsForReply.getAsBoolean()) {
                plannedFor = plannedFor - now > 0 ? now : plannedFor;
                return next;
            }
            plannedFor = now + next.toNanos();
            succeededAt = now;
            succeeded = true;
            if (failing != null) {
                failing = null;
            }
            return next;
        } catch (Throwable e) {
            Failing before = failing;
            failing = new Failing(before == null ? nanoTime.getAsLong() : before.since(), e);
            throw e;
        }
    }

    @Override
    public void wakenByReplies(TaskHandle handle) {
        task.wakenByReplies(handle);
    }

    /** Returns the current progress. Thread-safe. */
    ListenerProgress progress() {
        Failing failed = failing;
        boolean ever = succeeded;
        long last = succeededAt;
        long planned = plannedFor;
        long now = nanoTime.getAsLong(); // read last, so that no difference is negative
        Duration sinceSuccess = ever ? Duration.ofNanos(now - last) : null;
        if (failed != null) {
            Duration failingFor = Duration.ofNanos(now - failed.since());
            return new ListenerProgress(sinceSuccess, failingFor, failed.failure(), Duration.ZERO);
        }
        long overdue = punctual ? Math.max(0, now - planned) : 0;
        return new ListenerProgress(sinceSuccess, null, null, Duration.ofNanos(overdue));
    }
}
