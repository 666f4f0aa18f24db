package io.delayqueue.container;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/** The queue's threads besides those of its steps. */
public final class HandlerThreads {

    /** First part of every thread's name. */
    static final String NAME = "delayqueue";

    private HandlerThreads() {}

    /** Platform threads for handlers, as many as permits let run, each ending when it had nothing to do for a while. */
    static ExecutorService cached() {
        return daemons(NAME + "-handler");
    }

    /**
     * Platform threads that don't keep the process from ending, one for each task at a time, each ending when it had nothing
     * to do for ten seconds: whoever lets go of the executor need not shut it down.
     *
     * @param name of the threads, before a dash and a number
     */
    public static ExecutorService daemons(String name) {
        AtomicInteger number = new AtomicInteger();
        return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /** A virtual thread for each call; Java 21 or newer. */
    static Executor virtual() {
        return new VirtualThreadTaskExecutor(NAME + "-handler-");
    }

    /** Keeps the process from ending while listeners run, as all the engine's other threads are daemons. */
    static void keepAlive(CountDownLatch until) {
        Thread thread = new Thread(
                () -> {
                    try {
                        until.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                NAME + "-keep-alive");
        thread.setDaemon(false);
        thread.start();
    }
}
