package io.delayqueue.benchmark.contender;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Threads that take messages from a queue and handle them until they are stopped. They are not interrupted: a client that
 * is interrupted while it waits for a message can lose the message that Redis sends in that moment.
 */
final class TakingThreads {

    /** Time for which a client of Redis waits for a message, and after which its thread sees that it is stopped. */
    static final int WAIT_SECONDS = 1;

    private final List<Thread> threads = new ArrayList<>();
    private final LongAdder taken = new LongAdder();
    private volatile boolean stopped;

    /**
     * Starts threads.
     *
     * @param source returns a message, or null if there was none for a while, at most {@link #WAIT_SECONDS}
     */
    void start(int count, Callable<@Nullable String> source, Consumer<String> handler) {
        stopped = false;
        taken.reset();
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(() -> takeAll(source, handler), "taker-" + i);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    private void takeAll(Callable<@Nullable String> source, Consumer<String> handler) {
        try {
            while (!stopped) {
                String message = source.call();
                if (message != null) {
                    handler.accept(message);
                    taken.increment();
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException("Taking failed", e);
        }
    }

    long taken() {
        return taken.sum();
    }

    /** Stops the threads and waits until they have ended. */
    void stop() {
        stopped = true;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
        threads.clear();
    }
}
