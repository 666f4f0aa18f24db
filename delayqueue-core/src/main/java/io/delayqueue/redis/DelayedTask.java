package io.delayqueue.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Runs background tasks on an executor. A task that the executor rejects is submitted again after a second. */
final class DelayedTask {

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private DelayedTask() {}

    /** Starts the thread of the JVM's timer now, because none may be available when the timer is first needed. */
    static void startTimer() {
        CompletableFuture.delayedExecutor(0, TimeUnit.MILLISECONDS, Runnable::run)
                .execute(() -> {});
    }

    /**
     * Runs a task after a delay. While the executor rejects the task, it is submitted again after each second.
     *
     * @param wanted whether the task is still to be run
     */
    static void run(Executor executor, Duration time, BooleanSupplier wanted, Runnable task) {
        if (time.isZero()) {
            submit(executor, wanted, task);
            return;
        }
        try {
            CompletableFuture.delayedExecutor(time.toMillis(), TimeUnit.MILLISECONDS, Runnable::run)
                    .execute(() -> submit(executor, wanted, task));
        } catch (RuntimeException | Error e) {
            // The JVM's timer could not start its thread. It keeps the task and runs it once it has a thread.
        }
    }

    private static void submit(Executor executor, BooleanSupplier wanted, Runnable task) {
        if (!wanted.getAsBoolean()) {
            return;
        }
        try {
            executor.execute(task);
        } catch (RuntimeException | Error e) {
            run(executor, PAUSE, wanted, task);
        }
    }
}
