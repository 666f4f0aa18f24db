package io.delayqueue.container;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs waiting deliveries on the shared executor, with at most {@code concurrency} permits. While the stage of an
 * asynchronous handler is incomplete, its worker holds a permit but no thread. A worker that finds work starts the next
 * worker, so a burst starts them one by one. Thread-safe.
 */
final class Workers {

    private final Executor executor;
    private final HandlerThreads threads = new HandlerThreads();
    private final int concurrency;
    private final Semaphore permits;
    private final AtomicInteger running = new AtomicInteger();
    private final Supplier<List<ClaimedDelivery>> source;
    private final Function<List<ClaimedDelivery>, ? extends @Nullable CompletableFuture<?>> handler;
    private final Runnable onIdle;

    /**
     * Creates the workers of a listener.
     *
     * @param source returns the next batch; empty if no delivery may start
     * @param handler handles a batch; returns null if all deliveries are settled, else a stage that completes when they are
     * @param onIdle called after each release of a permit
     */
    Workers(
            Executor executor,
            int concurrency,
            Supplier<List<ClaimedDelivery>> source,
            Function<List<ClaimedDelivery>, ? extends @Nullable CompletableFuture<?>> handler,
            Runnable onIdle) {
        this.executor = executor;
        this.concurrency = concurrency;
        this.permits = new Semaphore(concurrency);
        this.source = source;
        this.handler = handler;
        this.onIdle = onIdle;
    }

    /**
     * Starts a worker if a permit is available.
     *
     * @throws RuntimeException if the executor rejects the worker and no other worker is active; call again later
     * @throws Error the same
     */
    void dispatch() {
        if (permits.tryAcquire()) {
            try {
                executor.execute(this::work);
            } catch (RuntimeException | Error e) {
                permits.release();
                if (inUse() == 0) { // else onIdle dispatches again when a permit is released
                    throw e;
                }
            }
        }
    }

    /** Number of batches that are being handled. A worker that looks for a batch uses a permit, but does not count. */
    int running() {
        return running.get();
    }

    /** Number of permits in use. */
    int inUse() {
        return concurrency - permits.availablePermits();
    }

    /** The threads that run handlers. */
    HandlerThreads threads() {
        return threads;
    }

    private void work() {
        CompletableFuture<?> stage = null;
        try {
            stage = untilIdleOrAsynchronous();
        } finally {
            if (stage == null) {
                permits.release();
                onIdle.run();
            }
        }
        if (stage != null) {
            stage.whenComplete((nothing, failure) -> {
                running.decrementAndGet();
                permits.release();
                onIdle.run();
            });
        }
    }

    /** Handles batches until none is left, then returns null, or until one is asynchronous, then returns its stage. */
    private @Nullable CompletableFuture<?> untilIdleOrAsynchronous() {
        List<ClaimedDelivery> batch = source.get();
        if (!batch.isEmpty()) {
            dispatch(); // does not throw: this worker holds a permit
        }
        while (!batch.isEmpty()) {
            CompletableFuture<?> stage = handle(batch);
            if (stage != null) {
                return stage;
            }
            batch = source.get();
        }
        return null;
    }

    private @Nullable CompletableFuture<?> handle(List<ClaimedDelivery> batch) {
        CompletableFuture<?> stage = null;
        running.incrementAndGet();
        threads.enter();
        try {
            stage = handler.apply(batch);
        } finally {
            threads.leave();
            if (stage == null) {
                running.decrementAndGet();
            }
        }
        return stage;
    }

    /** Takes up to {@code max} deliveries. */
    static List<ClaimedDelivery> batch(int max, Supplier<? extends @Nullable ClaimedDelivery> next) {
        ClaimedDelivery first = next.get();
        if (first == null) {
            return List.of();
        }
        if (max == 1) {
            return List.of(first);
        }
        List<ClaimedDelivery> batch = new ArrayList<>(max);
        for (ClaimedDelivery delivery = first; delivery != null; delivery = batch.size() < max ? next.get() : null) {
            batch.add(delivery);
        }
        return batch;
    }
}
