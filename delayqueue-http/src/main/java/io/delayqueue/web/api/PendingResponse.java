package io.delayqueue.web.api;

import io.delayqueue.message.Completions;
import io.delayqueue.web.waiting.BriefWait;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.method.support.ModelAndViewContainer;

/**
 * A response that may be completed after the controller has returned. It is written on the request's thread if it is
 * completed within a few milliseconds, and otherwise in an asynchronous dispatch. Thread-safe.
 *
 * @param <T> type of the body
 */
public final class PendingResponse<T> {

    /** The container does not end the request. */
    private static final Duration NO_TIMEOUT = Duration.ZERO;

    private final CompletableFuture<Response<T>> completion = new CompletableFuture<>();
    private final Duration timeout;
    private final Runnable onTimeout;
    private final Runnable onDisconnect;
    private final Runnable onEnd;

    /**
     * Creates an incomplete response.
     *
     * @param timeout time after which the container ends the request; zero if it does not
     * @param onTimeout called then; completes the response
     * @param onDisconnect called when the container reports that the client of an asynchronous request has disconnected,
     *     as over HTTP/2
     * @param onEnd called when the request ends for any reason, possibly more than once
     */
    PendingResponse(Duration timeout, Runnable onTimeout, Runnable onDisconnect, Runnable onEnd) {
        this.timeout = timeout;
        this.onTimeout = onTimeout;
        this.onDisconnect = onDisconnect;
        this.onEnd = onEnd;
    }

    /** Returns the response to a result that arrives in time. */
    static <S, T> PendingResponse<T> of(CompletableFuture<S> result, Function<S, Response<T>> response) {
        PendingResponse<T> pending = new PendingResponse<>(NO_TIMEOUT, () -> {}, () -> {}, () -> {});
        result.thenApply(response).whenComplete((completed, failure) -> {
            if (failure == null) {
                pending.complete(completed);
            } else {
                pending.fail(Completions.cause(failure));
            }
        });
        return pending;
    }

    /** Completes the response; returns false if it was completed before. */
    boolean complete(Response<T> response) {
        return completion.complete(response);
    }

    /** Completes the response with a failure, unless it was completed before. */
    void fail(Throwable failure) {
        completion.completeExceptionally(failure);
    }

    /**
     * Waits for a few milliseconds for the response.
     *
     * @return null if it is not complete
     * @throws RuntimeException the failure of the response
     */
    @Nullable
    Response<T> await() {
        if (!BriefWait.isDone(completion)) {
            return null;
        }
        try {
            return completion.join();
        } catch (RuntimeException e) {
            throw Completions.unchecked(e);
        }
    }

    /** Ends a request whose response is not written asynchronously. */
    void end() {
        onEnd.run();
    }

    /** Starts asynchronous processing. The response is written once it is complete. Called once. */
    void defer(WebAsyncManager manager, ModelAndViewContainer container) throws Exception {
        DeferredResult<Response<T>> result = new DeferredResult<>(timeout.toMillis());
        result.onTimeout(onTimeout);
        result.onError(failure -> onDisconnect.run());
        result.onCompletion(onEnd);
        completion.whenComplete((response, failure) -> {
            // Spring's error handling takes this lock before it returns. Held from setting the result until its
            // dispatch, it makes sure that the dispatch comes before the end of the request. A later dispatch could
            // reach the next request for which Tomcat uses the same objects.
            synchronized (manager) {
                if (failure == null) {
                    result.setResult(response);
                } else {
                    result.setErrorResult(Completions.cause(failure));
                }
            }
        });
        manager.startDeferredResultProcessing(result, container);
    }
}
