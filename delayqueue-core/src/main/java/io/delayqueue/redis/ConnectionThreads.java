package io.delayqueue.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Daemon threads for what blocks: connecting, closing a connection, and waiting for replicas. Each running task has its
 * own thread. No task is rejected: while no thread can be created, one that exists from the start runs the tasks, one
 * after the other. The thread of the JVM's timer, which ends waits and starts retries, exists from then on, too.
 * Thread-safe.
 */
final class ConnectionThreads implements Executor, AutoCloseable {

    private final ThreadPoolExecutor threads;
    private final ThreadPoolExecutor spare;

    ConnectionThreads() {
        this(Thread::new);
    }

    /**
     * Starts the threads that exist from the start.
     *
     * @throws OutOfMemoryError if one of them cannot be created
     */
    ConnectionThreads(ThreadFactory factory) {
        AtomicInteger number = new AtomicInteger();
        ThreadFactory daemons = task -> {
            Thread thread = factory.newThread(task);
            thread.setName("delayqueue-redis-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
        threads = new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), daemons);
        spare = new ScheduledThreadPoolExecutor(1, daemons); // unlike others, its thread survives the failure of a task
        spare.prestartCoreThread();
        CompletableFuture.delayedExecutor(0, TimeUnit.MILLISECONDS, Runnable::run)
                .execute(() -> {});
    }

    @Override
    public void execute(Runnable task) {
        try {
            threads.execute(task);
        } catch (Error e) { // no thread can be created
            spare.execute(task);
        }
    }

    /** Ends all threads when they are idle. Later tasks still run. */
    @Override
    public void close() {
        threads.setKeepAliveTime(0, TimeUnit.SECONDS);
        spare.allowCoreThreadTimeOut(true);
    }
}
