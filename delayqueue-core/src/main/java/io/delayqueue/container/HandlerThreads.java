package io.delayqueue.container;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/** Creates the engine's threads, and names those of {@link TaskPool}. */
public final class HandlerThreads {

    /** Prefix of every thread's name. */
    static final String NAME = "delayqueue";

    private HandlerThreads() {}

    /**
     * Creates an executor of platform threads for handlers. The permits of {@link Workers} limit their number. A thread
     * ends after ten idle seconds.
     */
    static ExecutorService cached(ThreadFactory threads) {
        return cachedBy(daemons(threads, NAME + "-handler"));
    }

    /**
     * Creates an executor of daemon threads, with one thread for each running task. A thread ends after ten idle
     * seconds, so the executor needs no shutdown.
     *
     * @param name prefix of the thread names; a dash and a number follow
     */
    public static ExecutorService daemons(String name) {
        return cachedBy(daemons(Thread::new, name));
    }

    private static ExecutorService cachedBy(ThreadFactory threads) {
        return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
    }

    /** Wraps a factory: its threads become daemons with the given name, a dash and a number. */
    static ThreadFactory daemons(ThreadFactory threads, String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = threads.newThread(task);
            thread.setName(name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Runs each call on its own virtual thread; requires Java 21. */
    static Executor virtual() {
        return new VirtualThreadTaskExecutor(NAME + "-handler-");
    }

    /** Keeps the process alive while listeners run: all other threads of the engine are daemons. */
    static void keepAlive(ThreadFactory threads, CountDownLatch until) {
        Thread thread = threads.newThread(() -> {
            try {
                until.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        thread.setName(NAME + "-keep-alive");
        thread.setDaemon(false);
        thread.start();
    }
}
