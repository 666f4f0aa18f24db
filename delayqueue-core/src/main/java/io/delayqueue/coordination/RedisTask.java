package io.delayqueue.coordination;

import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.listener.ListenerProgress;
import io.delayqueue.message.Completions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A periodic task that calls Redis, one call at a time, and records its progress. A run that has started a call ends,
 * and the reply wakes the task. If a test runs the task, a run waits until the reply arrives.
 *
 * <p>Any thread may schedule, wake and cancel the task and read its progress. Runs never overlap; they alone write the
 * call and the progress, whose fields are volatile for the readers.
 */
public abstract class RedisTask implements PeriodicTask, TaskHandle {

    /** The monotonic clock. */
    protected final LongSupplier nanoTime;

    private volatile @Nullable TaskHandle handle;
    /** Whether {@link #wake()} was called before the handle was known. */
    private volatile boolean wokenEarly;
    /** Whether the task runs by itself, and thus on time. */
    private volatile boolean inBackground;

    private volatile @Nullable CompletableFuture<?> waitedFor;
    /** Whether the present run has a reply; only runs use it. */
    private boolean replied;

    private volatile boolean succeeded;
    private volatile long succeededAt;
    private volatile long plannedFor;
    private volatile @Nullable Failing failing;

    /** The start of a series of failures, and the last failure. */
    private record Failing(long since, Throwable failure) {}

    /**
     * Creates a task, which is not scheduled.
     *
     * @param nanoTime monotonic clock in nanoseconds
     */
    protected RedisTask(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Schedules the task. After {@link #cancel()} it can be scheduled again.
     *
     * @param name name of the task in the log
     */
    public final void schedule(PeriodicTaskScheduler tasks, String name) {
        handle = null;
        wokenEarly = false;
        plannedFor = nanoTime.getAsLong();
        inBackground = tasks.runsInBackground();
        TaskHandle scheduled = tasks.schedule(name, this);
        handle = scheduled;
        if (wokenEarly) { // the first run began before the handle was known
            scheduled.wake();
        }
    }

    /** Runs the task at once. While a reply is outstanding this has no effect: the reply wakes the task. */
    @Override
    public final void wake() {
        if (!isWaiting()) {
            wakeNow();
        }
    }

    private void wakeNow() {
        TaskHandle current = handleOrWokenEarly();
        if (current != null) {
            current.wake();
        }
    }

    @Override
    public final void wakeWithin(Duration time) {
        TaskHandle current = isWaiting() ? null : handleOrWokenEarly();
        if (current != null) {
            current.wakeWithin(time);
        }
    }

    private @Nullable TaskHandle handleOrWokenEarly() {
        TaskHandle current = handle;
        if (current == null) {
            wokenEarly = true;
            current = handle; // read again: schedule() writes the handle before it reads wokenEarly
        }
        return current;
    }

    @Override
    public final void cancel() {
        TaskHandle current = handle;
        if (current != null) {
            current.cancel();
        }
    }

    @Override
    public final Duration run() {
        replied = false;
        try {
            Duration next = roundTrip();
            long now = nanoTime.getAsLong();
            if (isWaiting()) {
                plannedFor = plannedFor - now > 0 ? now : plannedFor;
                return next;
            }
            plannedFor = now + next.toNanos();
            if (replied) {
                succeededAt = now;
                succeeded = true;
            }
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

    /**
     * Runs the task once.
     *
     * @return delay before the next run; a reply wakes the task earlier
     */
    protected abstract Duration roundTrip();

    /** Whether a reply is outstanding, which wakes the task. */
    @Override
    public final boolean isWaiting() {
        return waitedFor != null;
    }

    /**
     * Starts a call, or takes the reply to the outstanding one. Only a run calls this.
     *
     * @param start starts the call; not used while a call is outstanding
     * @return the reply, or null if there is none yet
     * @throws RuntimeException if the call failed
     */
    @SuppressWarnings("unchecked") // a task repeats its call until it has the reply
    protected final <T> @Nullable T reply(Supplier<CompletableFuture<T>> start) {
        CompletableFuture<T> call = (CompletableFuture<T>) waitedFor;
        if (call == null) {
            call = start.get();
            if (!inBackground) {
                await(call);
            } else if (!call.isDone()) {
                waitedFor = call;
                Completions.whenComplete(call, (reply, failure) -> wakeNow());
            }
        }
        if (!call.isDone()) {
            return null;
        }
        waitedFor = null;
        try {
            T result = call.join();
            replied = true;
            return result;
        } catch (CompletionException e) {
            throw Completions.unchecked(e);
        }
    }

    /** Waits for the end of a call, at the latest its command timeout. */
    private static void await(CompletableFuture<?> call) {
        try {
            call.get();
        } catch (ExecutionException failed) {
            // the caller throws the failure
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("The engine is closed", e);
        }
    }

    /** Returns the progress since the task was first scheduled. A task that a test runs is never overdue. */
    public final ListenerProgress progress() {
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
        long overdue = inBackground ? Math.max(0, now - planned) : 0;
        return new ListenerProgress(sinceSuccess, null, null, Duration.ofNanos(overdue));
    }
}
