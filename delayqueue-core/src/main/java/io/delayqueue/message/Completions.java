package io.delayqueue.message;

import io.delayqueue.Internal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Helpers for futures. Thread-safe. */
@Internal
public final class Completions {

    /** A chain of causes may be a cycle. */
    private static final int MAX_CAUSES = 100;

    private Completions() {}

    /** Returns the failure of a future without the wrappers of {@code java.util.concurrent}. */
    public static Throwable cause(Throwable failure) {
        Throwable unwrapped = failure;
        for (int i = 0; i < MAX_CAUSES && isWrapper(unwrapped); i++) {
            Throwable cause = Failure.causeOf(unwrapped);
            if (cause == null) {
                break;
            }
            unwrapped = cause;
        }
        return unwrapped;
    }

    /** The cause as an exception to throw: itself if it is unchecked, else within a {@link CompletionException}. */
    public static RuntimeException unchecked(Throwable failure) {
        Throwable cause = cause(failure);
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException unchecked ? unchecked : new CompletionException(cause);
    }

    /** Starts a call. If it throws an exception, the future fails with the exception. */
    public static <T> CompletableFuture<T> call(Supplier<CompletableFuture<T>> call) {
        try {
            return call.get();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Runs an action when a stage has completed. The action must not throw an exception. */
    public static <T> void whenComplete(
            CompletionStage<T> stage, BiConsumer<? super T, ? super @Nullable Throwable> action) {
        stage.whenComplete(action);
    }

    /** Completes with the results of all futures, in their order. Fails if one fails, when all have completed. */
    public static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> futures) {
        return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
                .thenApply(completed ->
                        futures.stream().map(CompletableFuture::join).toList());
    }

    /**
     * Makes a call for each item, in batches of concurrent calls.
     *
     * @return completes with all results in the order of the items; fails after the first batch with a failed call
     */
    public static <S, T> CompletableFuture<List<T>> inBatches(
            List<S> items, int size, Function<S, CompletableFuture<T>> call) {
        CompletableFuture<List<T>> results = CompletableFuture.completedFuture(new ArrayList<>(items.size()));
        for (int from = 0; from < items.size(); from += size) {
            List<S> batch = items.subList(from, Math.min(items.size(), from + size));
            results = results.thenCompose(
                    before -> all(batch.stream().map(call).toList()).thenApply(more -> {
                        before.addAll(more);
                        return before;
                    }));
        }
        return results;
    }

    private static boolean isWrapper(Throwable failure) {
        return failure instanceof CompletionException || failure instanceof ExecutionException;
    }

    /**
     * Runs a completion on an executor, or on the calling thread if the executor rejects it or cannot create a
     * thread. Leaves the thread as it was: callbacks of users may change it.
     */
    public static void on(Executor executor, Runnable completion) {
        Runnable leavingTheThreadAsItWas = () -> {
            ThreadState state = ThreadState.current();
            try {
                completion.run();
            } finally {
                state.restore();
            }
        };
        try {
            executor.execute(leavingTheThreadAsItWas);
        } catch (RuntimeException | Error e) {
            leavingTheThreadAsItWas.run();
        }
    }
}
