package io.delayqueue.message;

import io.delayqueue.Internal;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates daemon threads, and executors that use them. */
@Internal
public final class DaemonThreads {

    private DaemonThreads() {}

    /**
     * Creates an executor of daemon threads, with one thread for each running task. A thread ends after ten idle
     * seconds, so the executor needs no shutdown.
     *
     * @param name prefix of the thread names; a dash and a number follow
     */
    public static ThreadPoolExecutor executor(String name) {
        return executor(Thread::new, name);
    }

    /** Like {@link #executor(String)}, with threads of the given factory. */
    public static ThreadPoolExecutor executor(ThreadFactory threads, String name) {
        return new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), factory(threads, name));
    }

    /** Wraps a factory: its threads become daemons with the given name, a dash and a number. */
    public static ThreadFactory factory(ThreadFactory threads, String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = threads.newThread(task);
            thread.setName(name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
