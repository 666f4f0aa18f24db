package io.delayqueue.benchmark.contender;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/** Threads that take messages from a blocking queue and handle them until they are interrupted. */
final class TakingThreads {

    private final List<Thread> threads = new ArrayList<>();
    private final LongAdder taken = new LongAdder();

    void start(int count, Callable<String> source, Consumer<String> handler) {
        taken.reset();
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(() -> takeAll(source, handler), "taker-" + i);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    private void takeAll(Callable<String> source, Consumer<String> handler) {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                handler.accept(source.call());
                taken.increment();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            if (!Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("Taking failed", e);
            }
        }
    }

    long taken() {
        return taken.sum();
    }

    void stop() {
        threads.forEach(Thread::interrupt);
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
