package io.delayqueue.actuate.health;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One question for all who ask at the same time, so that many probes of a Redis that hangs don't pile up. One that has
 * been waiting for an answer for a second is asked anew, as the way to Redis may be a new one by then. Thread-safe.
 */
final class SharedQuestion<T> {

    private static final long PATIENCE = Duration.ofSeconds(1).toNanos();

    private final Supplier<CompletableFuture<T>> question;
    private final LongSupplier nanoTime;
    private @Nullable CompletableFuture<T> asking;
    private long askedAt;

    SharedQuestion(Supplier<CompletableFuture<T>> question, LongSupplier nanoTime) {
        this.question = question;
        this.nanoTime = nanoTime;
    }

    /** What was answered last; empty while it is being asked, or if that failed. */
    synchronized Optional<T> answer() {
        CompletableFuture<T> present = asking;
        return present == null || !present.isDone() || present.isCompletedExceptionally()
                ? Optional.empty()
                : Optional.of(present.join());
    }

    /** Not to be completed or cancelled by those who share it. */
    synchronized CompletableFuture<T> ask() {
        CompletableFuture<T> present = asking;
        long now = nanoTime.getAsLong();
        if (present == null || present.isDone() || now - askedAt >= PATIENCE) {
            present = question.get();
            asking = present;
            askedAt = now;
        }
        return present;
    }
}
