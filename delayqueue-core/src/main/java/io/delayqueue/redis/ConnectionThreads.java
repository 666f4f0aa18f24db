package io.delayqueue.redis;

import io.delayqueue.message.DaemonThreads;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

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
        threads = DaemonThreads.executor(factory, "delayqueue-redis");
        // unlike others, its thread survives the failure of a task
        spare = new ScheduledThreadPoolExecutor(1, DaemonThreads.factory(factory, "delayqueue-redis-spare"));
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
