package io.delayqueue.message;

import io.delayqueue.Internal;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;

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

    private static boolean isWrapper(Throwable failure) {
        return failure instanceof CompletionException || failure instanceof ExecutionException;
    }

    /**
     * Runs a completion on an executor, or on the calling thread if the executor rejects it or cannot create a
     * thread.
     */
    public static void on(Executor executor, Runnable completion) {
        try {
            executor.execute(completion);
        } catch (RuntimeException | Error e) {
            completion.run();
        }
    }
}
