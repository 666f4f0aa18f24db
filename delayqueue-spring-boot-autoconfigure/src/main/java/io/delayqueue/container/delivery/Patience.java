package io.delayqueue.container.delivery;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits for answers on the step's thread, which is quickest, but not for long: other shards need the thread, and theirs may
 * be a master that is well. An answer that takes longer has the step called again. One question at a time. Belongs to the
 * step.
 */
final class Patience {

    private final Duration time;
    private final Runnable wake;
    private volatile @Nullable CompletableFuture<?> outlasted;

    Patience(Duration time, Runnable wake) {
        this.time = time;
        this.wake = wake;
    }

    /** Whether an answer is waited for that calls the step. May be called by any thread. */
    boolean isOutlasted() {
        return outlasted != null;
    }

    /**
     * Asks, or waits for the answer to what was asked before.
     *
     * @param question asked unless one is open
     * @return null if there is no answer yet
     * @throws RuntimeException if the answer is a failure
     */
    @SuppressWarnings("unchecked") // whoever asked is called again until he has his answer
    <T> @Nullable T answer(Supplier<CompletableFuture<T>> question) {
        CompletableFuture<?> open = outlasted;
        CompletableFuture<T> call = open == null ? question.get() : (CompletableFuture<T>) open;
        if (open == null ? !isAnsweredSoon(call) : !call.isDone()) {
            return null;
        }
        outlasted = null;
        try {
            return call.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw e;
        }
    }

    private boolean isAnsweredSoon(CompletableFuture<?> call) {
        try {
            call.get(time.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (ExecutionException failed) {
            return true;
        } catch (TimeoutException e) {
            outlasted = call;
            CompletableFuture<?> unused = call.whenComplete((answer, failure) -> wake.run());
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("The engine is closed", e);
        }
    }
}
