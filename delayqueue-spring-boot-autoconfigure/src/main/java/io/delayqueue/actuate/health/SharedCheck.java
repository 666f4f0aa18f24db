package io.delayqueue.actuate.health;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Shares one pending check among concurrent callers, so that checks do not accumulate while Redis does not respond. A
 * check that has been pending for a second is replaced by a new one, which may use a new connection. Thread-safe.
 */
final class SharedCheck<T> {

    private static final long MAX_WAIT = Duration.ofSeconds(1).toNanos();

    private final Supplier<CompletableFuture<T>> check;
    private final LongSupplier nanoTime;
    private @Nullable CompletableFuture<T> pending;
    private long startedAt;

    SharedCheck(Supplier<CompletableFuture<T>> check, LongSupplier nanoTime) {
        this.check = check;
        this.nanoTime = nanoTime;
    }

    /** Returns the pending check or starts a new one. Callers must not complete or cancel the future. */
    synchronized CompletableFuture<T> request() {
        CompletableFuture<T> present = pending;
        long now = nanoTime.getAsLong();
        if (present == null || present.isDone() || now - startedAt >= MAX_WAIT) {
            present = check.get();
            pending = present;
            startedAt = now;
        }
        return present;
    }
}
