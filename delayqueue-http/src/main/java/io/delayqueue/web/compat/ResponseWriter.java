package io.delayqueue.web.compat;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Writes responses. Thread-safe. */
final class ResponseWriter {

    /** Time for a slow client to read the response. */
    private static final Duration WRITE_TIMEOUT = Duration.ofMinutes(5);

    /** Status of a request whose client disconnected, as used by nginx. */
    private static final int CLIENT_DISCONNECTED = 499;

    private static final String FILTERS_RETURNED = ResponseWriter.class.getName() + ".filtersReturned";

    private final String contentType;
    private final Duration timeout;

    ResponseWriter(String contentType) {
        this(contentType, WRITE_TIMEOUT);
    }

    ResponseWriter(String contentType, Duration timeout) {
        this.contentType = contentType;
        this.timeout = timeout;
    }

    /** Writes a response on the calling thread. */
    void write(HttpServletResponse response, int status, byte[] body) throws IOException {
        response.setStatus(status);
        response.setContentType(contentType);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
        response.flushBuffer();
    }

    /** Writes a response with status 200 on the calling thread, and returns whether that succeeded. */
    boolean isWritten(HttpServletResponse response, byte[] body) {
        try {
            write(response, HttpServletResponse.SC_OK, body);
            return true;
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    /**
     * Starts asynchronous processing of a request that is completed by {@link #writeLater}. If the container rejects
     * even the completion, the request times out.
     *
     * @param wait maximum time until the response is written
     */
    AsyncContext begin(HttpServletRequest request, Duration wait) {
        AsyncContext async = request.startAsync();
        async.setTimeout(wait.plus(timeout).toMillis());
        return async;
    }

    /**
     * Holds back the response of {@link #writeLater} until the returned action runs. After a request was started
     * asynchronously, filters may still add headers on the request's thread, as those of Spring Security do; a response
     * is not thread-safe.
     */
    static Runnable holdResponse(HttpServletRequest request) {
        CompletableFuture<Boolean> returned = new CompletableFuture<>();
        request.setAttribute(FILTERS_RETURNED, returned);
        return () -> returned.complete(true);
    }

    /** Calls an action when a request ends for any reason, and completes the request if it times out. */
    static void onEnd(AsyncContext async, Runnable action) {
        async.addListener(new EndListener(action));
    }

    /** Completes a request if it times out. */
    static void endOnTimeout(AsyncContext async) {
        onEnd(async, () -> {});
    }

    private record EndListener(Runnable action) implements AsyncListener {

        @Override
        public void onComplete(AsyncEvent event) {
            action.run();
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            action.run();
            end(event.getAsyncContext());
        }

        @Override
        public void onError(AsyncEvent event) {
            action.run();
            endDisconnected(event.getAsyncContext());
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            // requests are started once only
        }
    }

    /**
     * Writes a response with status 200 and ends the request, on a thread of the container, after the filters have
     * returned.
     *
     * @param onFailure called if the client cannot have received the response
     * @throws RuntimeException if the container rejects the task; the request has then ended, and {@code onFailure} is
     *     not called
     */
    void writeLater(AsyncContext async, Supplier<byte[]> body, Runnable onFailure) {
        writeLater(async, HttpServletResponse.SC_OK, body, onFailure);
    }

    /** Writes a response with any status. */
    void writeLater(AsyncContext async, int status, Supplier<byte[]> body, Runnable onFailure) {
        try {
            byte[] bytes = body.get();
            Object held = async.getRequest().getAttribute(FILTERS_RETURNED);
            if (held instanceof CompletableFuture<?> returned && !returned.isDone()) {
                CompletableFuture<?> ignored = returned.thenRun(() -> startOrFail(async, status, bytes, onFailure));
            } else {
                async.start(() -> write(async, status, bytes, onFailure));
            }
        } catch (RuntimeException | Error e) {
            end(async);
            throw e;
        }
    }

    private void startOrFail(AsyncContext async, int status, byte[] body, Runnable onFailure) {
        try {
            async.start(() -> write(async, status, body, onFailure));
        } catch (RuntimeException | Error e) {
            end(async);
            onFailure.run();
        }
    }

    private void write(AsyncContext async, int status, byte[] body, Runnable onFailure) {
        try {
            write((HttpServletResponse) async.getResponse(), status, body);
        } catch (IOException | RuntimeException e) {
            onFailure.run();
        } finally {
            end(async);
        }
    }

    /**
     * Ends a request whose client has disconnected, with a status that meters count neither as a success nor as a
     * server error.
     */
    static void endDisconnected(AsyncContext async) {
        try {
            ((HttpServletResponse) async.getResponse()).setStatus(CLIENT_DISCONNECTED);
        } catch (IllegalStateException alreadyEnded) {
            // by the container, which has set a status
        }
        end(async);
    }

    /** Ends a request, if it has not ended yet. */
    static void end(AsyncContext async) {
        try {
            async.complete();
        } catch (IllegalStateException alreadyEnded) {
            // by the container, since the connection is closed
        }
    }
}
