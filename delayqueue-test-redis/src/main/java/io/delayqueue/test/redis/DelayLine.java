package io.delayqueue.test.redis;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A queue that delays its elements concurrently and keeps their order. One thread adds elements, another one removes
 * them.
 */
final class DelayLine {

    /** Maximum time for which a closed line still holds elements. */
    private static final long MAX_PARK_NANOS = 20_000_000;

    private final BlockingQueue<Held> queue = new LinkedBlockingQueue<>();

    private final AtomicInteger held = new AtomicInteger();

    void put(Duration delay, Step step) {
        this.held.incrementAndGet();
        this.queue.add(new Held(step, System.nanoTime() + delay.toNanos()));
    }

    /** Returns whether all elements have left the line and were executed. */
    boolean isEmpty() {
        return this.held.get() == 0;
    }

    /**
     * Executes the elements of the line when their delay has passed, until the line is closed.
     *
     * @param open whether to continue; after a change to {@code false}, {@link #wake()} must be called
     */
    void run(BooleanSupplier open) throws IOException, InterruptedException {
        while (open.getAsBoolean()) {
            Held next = this.queue.take();
            for (long left = next.left(); left > 0 && open.getAsBoolean(); left = next.left()) {
                LockSupport.parkNanos(Math.min(left, MAX_PARK_NANOS));
            }
            next.step().run();
            this.held.decrementAndGet();
        }
    }

    void wake() {
        put(Duration.ZERO, () -> {});
    }

    private record Held(Step step, long dueNanos) {

        long left() {
            return this.dueNanos - System.nanoTime();
        }
    }

    @FunctionalInterface
    interface Step {

        void run() throws IOException;
    }
}
