package io.delayqueue.template.receive;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs tasks one after the other, in the order in which they were submitted, without a thread of its own and without a
 * lock. A thread that submits a task while none runs executes it, and all that are submitted meanwhile, by itself or by
 * other threads. Otherwise the submitting thread continues at once. What a task writes is visible to later tasks.
 *
 * <p>Thread-safe.
 */
final class SequentialExecutor implements Executor {

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger unfinished = new AtomicInteger();

    /** Runs all tasks even if one throws. Then the thread that ran it throws its exception, the first if several throw. */
    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        if (unfinished.getAndIncrement() > 0) {
            return;
        }
        Throwable first = null;
        do {
            try {
                tasks.remove().run();
            } catch (RuntimeException | Error e) {
                first = first == null ? e : first;
            }
        } while (unfinished.decrementAndGet() > 0);
        if (first instanceof Error error) {
            throw error;
        }
        if (first != null) {
            throw (RuntimeException) first;
        }
    }
}
