package io.delayqueue.test.redis;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A line that holds what is put on it back for some time, everything at the same time, and never changes its order.
 * Filled by one thread, emptied by another.
 */
final class DelayLine {

    /** How long a closed line may still hold something. */
    private static final long MAX_PARK_NANOS = 20_000_000;

    private final BlockingQueue<Held> queue = new LinkedBlockingQueue<>();

    private final AtomicInteger held = new AtomicInteger();

    void put(Duration delay, Step step) {
        this.held.incrementAndGet();
        this.queue.add(new Held(step, System.nanoTime() + delay.toNanos()));
    }

    /**
     * Whether everything that was put on the line has left it and was done.
     */
    boolean isEmpty() {
        return this.held.get() == 0;
    }

    /**
     * Does what was put on the line, when its time has come, until the line is closed.
     *
     * @param open whether to go on; after a change to {@code false}, {@link #wake()} is called
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
