package io.delayqueue.container;

import io.delayqueue.container.delivery.ClaimedDelivery;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Hands waiting deliveries to the shared executor, never more at a time than there are permits. A permit is held until
 * the handler's stage ends; the thread goes back at once. Workers wake one another, so a burst starts them one by one.
 * Thread-safe.
 */
final class Workers {

    private final Executor executor;
    private final int concurrency;
    private final Semaphore permits;
    private final Supplier<List<ClaimedDelivery>> source;
    private final Handling handling;
    private final Runnable onIdle;

    /** Handles a batch. */
    interface Handling {
        /** Returns null when all are answered, else a stage that ends when they are. */
        @Nullable
        CompletableFuture<?> handle(List<ClaimedDelivery> batch);
    }

    /**
     * With its source and sink.
     *
     * @param source gives the next batch, empty when nothing may start now
     * @param onIdle called after each return of a permit
     */
    Workers(
            Executor executor,
            int concurrency,
            Supplier<List<ClaimedDelivery>> source,
            Handling handling,
            Runnable onIdle) {
        this.executor = executor;
        this.concurrency = concurrency;
        this.permits = new Semaphore(concurrency);
        this.source = source;
        this.handling = handling;
        this.onIdle = onIdle;
    }

    /** Starts a worker if there is a permit. It starts the next one while it finds work. */
    void dispatch() {
        if (permits.tryAcquire()) {
            try {
                executor.execute(this::work);
            } catch (RejectedExecutionException closing) {
                permits.release();
            } catch (RuntimeException | Error e) { // no thread to be had, for one: the permit must not go with it
                permits.release();
                throw e;
            }
        }
    }

    /** Permits that are held. */
    int inUse() {
        return concurrency - permits.availablePermits();
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
            CompletableFuture<?> unused = stage.whenComplete((nothing, failure) -> {
                permits.release();
                onIdle.run();
            });
        }
    }

    /** Handles batch after batch; returns the stage of one that goes on elsewhere, or null when there are no more. */
    private @Nullable CompletableFuture<?> untilIdleOrAsynchronous() {
        List<ClaimedDelivery> batch = source.get();
        if (!batch.isEmpty()) {
            dispatch();
        }
        while (!batch.isEmpty()) {
            CompletableFuture<?> stage = handling.handle(batch);
            if (stage != null) {
                return stage;
            }
            batch = source.get();
        }
        return null;
    }

    /** Takes up to a number of startable deliveries from a queue. */
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
