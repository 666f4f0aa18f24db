package io.delayqueue.admin;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs no task until it is released. Each task has a thread. */
final class HeldExecutor implements Executor {

    private final CompletableFuture<Void> released = new CompletableFuture<>();
    private final AtomicInteger submitted = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();

    @Override
    public void execute(Runnable task) {
        submitted.incrementAndGet();
        released.thenRunAsync(
                () -> {
                    task.run();
                    ended.incrementAndGet();
                },
                run -> new Thread(run, "held").start());
    }

    void release() {
        released.complete(null);
    }

    /** Number of tasks that were submitted. */
    int submitted() {
        return submitted.get();
    }

    /** Number of tasks that have ended. */
    int ended() {
        return ended.get();
    }
}
