package io.delayqueue.benchmark.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;

/** Threads that run the same work concurrently. Closing this object stops them. */
final class Crew implements AutoCloseable {

    private final int size;
    private final ExecutorService threads;

    Crew(int size) {
        this.size = size;
        this.threads = Executors.newFixedThreadPool(size);
    }

    int size() {
        return size;
    }

    /** Runs the work on each thread with its number. Returns the nanoseconds from the first start to the last end. */
    long run(IntConsumer part) {
        CyclicBarrier ready = new CyclicBarrier(size + 1);
        List<Future<?>> ends = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            int number = i;
            ends.add(threads.submit(() -> {
                pass(ready);
                part.accept(number);
            }));
        }
        pass(ready);
        long started = System.nanoTime();
        for (Future<?> end : ends) {
            join(end);
        }
        return System.nanoTime() - started;
    }

    private static void pass(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void join(Future<?> end) {
        try {
            end.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
