package io.delayqueue.coordination;

import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.message.Completions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the reply to an asynchronous call of a {@link PeriodicTask}. The task first waits on its own thread, which
 * is the fastest way, but for at most 20 ms: other tasks need the thread, and their Redis master may be available. A
 * later reply wakes the task. There is one call at a time. Used by the task's thread only, except {@link #isWaiting()}.
 */
public final class ReplyWait {

    /** The delay that a task returns while it waits for a reply. The reply wakes the task. */
    public static final Duration UNTIL_REPLIED = Duration.ofDays(365);

    /** About a hundred round trips to a healthy server: a slow server must not delay the tasks of others. */
    private static final Duration SHORT_WAIT = Duration.ofMillis(20);
    /** For a task without a scheduler: its run ends with the call. The command timeout ends the call much earlier. */
    private static final Duration FULL_WAIT = Duration.ofHours(1);

    private volatile @Nullable TaskHandle handle;
    private volatile @Nullable CompletableFuture<?> waitedFor;

    /** Creates a wait that blocks until the reply arrives, until {@link #wakes} is called. */
    public ReplyWait() {}

    /** From now on, waits at most 20 ms; a later reply wakes the task. */
    public void wakes(TaskHandle taskHandle) {
        handle = taskHandle;
    }

    /** Whether a reply is outstanding that wakes the task. May be called by any thread. */
    public boolean isWaiting() {
        return waitedFor != null;
    }

    /**
     * Starts a call, or takes the reply to the outstanding one.
     *
     * @param maker starts the call; not used while a call is outstanding
     * @return the reply, or null if there is none yet
     * @throws RuntimeException if the call failed
     */
    @SuppressWarnings("unchecked") // a task repeats its call until it has the reply
    public <T> @Nullable T reply(Supplier<CompletableFuture<T>> maker) {
        CompletableFuture<?> open = waitedFor;
        CompletableFuture<T> call = open == null ? maker.get() : (CompletableFuture<T>) open;
        if (open == null ? !isRepliedSoon(call) : !call.isDone()) {
            return null;
        }
        waitedFor = null;
        try {
            return call.join();
        } catch (CompletionException e) {
            throw Completions.unchecked(e);
        }
    }

    private boolean isRepliedSoon(CompletableFuture<?> call) {
        TaskHandle woken = handle;
        try {
            call.get((woken == null ? FULL_WAIT : SHORT_WAIT).toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (ExecutionException failed) {
            return true;
        } catch (TimeoutException e) {
            waitedFor = call;
            if (woken != null) {
                CompletableFuture<?> unused = call.whenComplete((reply, failure) -> woken.wake());
            }
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("The engine is closed", e);
        }
    }
}
