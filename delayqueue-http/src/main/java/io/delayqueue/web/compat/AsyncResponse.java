package io.delayqueue.web.compat;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A response that is written on a container thread other than that of the request. If the client disconnects or the
 * request times out, the container waits until a write in progress has ended. No write begins afterwards, because the
 * container reuses the objects of an ended request. Thread-safe.
 */
final class AsyncResponse implements AsyncListener {

    /** Status of a request whose client disconnected, as used by nginx. */
    private static final int CLIENT_DISCONNECTED = 499;

    private static final String FILTERS_RETURNED = AsyncResponse.class.getName() + ".filtersReturned";

    private final AsyncContext async;
    private final ResponseWriter writer;
    private final Runnable onEnd;
    private final ReentrantLock lock = new ReentrantLock();
    /** Whether the response was written or the request has ended. */
    private volatile boolean ended;

    private AsyncResponse(AsyncContext async, ResponseWriter writer, Runnable onEnd) {
        this.async = async;
        this.writer = writer;
        this.onEnd = onEnd;
    }

    /**
     * Starts asynchronous processing of a request.
     *
     * @param timeout time after which the request ends, unless its response is being written
     * @param onEnd called when the request ends for any reason, possibly more than once
     */
    static AsyncResponse begin(HttpServletRequest request, ResponseWriter writer, Duration timeout, Runnable onEnd) {
        AsyncContext async = request.startAsync();
        async.setTimeout(timeout.toMillis());
        AsyncResponse response = new AsyncResponse(async, writer, onEnd);
        async.addListener(response);
        return response;
    }

    /**
     * Holds back the response of a request until the returned action runs. After asynchronous processing was started,
     * filters may still add headers on the request's thread, as those of Spring Security do; a response is not
     * thread-safe.
     */
    static Runnable hold(HttpServletRequest request) {
        CompletableFuture<Boolean> returned = new CompletableFuture<>();
        request.setAttribute(FILTERS_RETURNED, returned);
        return () -> returned.complete(true);
    }

    /**
     * Writes a response with status 200 and ends the request, after the filters have returned.
     *
     * @param onFailure called if the client cannot have received the response
     * @throws RuntimeException if the container rejects the task and no filter holds the response back; the request has
     *     then ended, and {@code onFailure} is not called
     */
    void write(Supplier<byte[]> body, Runnable onFailure) {
        write(HttpServletResponse.SC_OK, body, onFailure);
    }

    /** Writes a response with any status. */
    void write(int status, Supplier<byte[]> body, Runnable onFailure) {
        try {
            byte[] bytes = body.get();
            Object held = async.getRequest().getAttribute(FILTERS_RETURNED);
            if (held instanceof CompletableFuture<?> returned && !returned.isDone()) {
                returned.thenRun(() -> startOrFail(status, bytes, onFailure));
            } else {
                async.start(() -> writeNow(status, bytes, onFailure));
            }
        } catch (RuntimeException | Error e) {
            end(() -> {});
            throw e;
        }
    }

    private void startOrFail(int status, byte[] body, Runnable onFailure) {
        try {
            async.start(() -> writeNow(status, body, onFailure));
        } catch (RuntimeException | Error e) {
            end(() -> {});
            onFailure.run();
        }
    }

    private void writeNow(int status, byte[] body, Runnable onFailure) {
        AtomicBoolean written = new AtomicBoolean();
        try {
            end(() -> written.set(writer.isWritten((HttpServletResponse) async.getResponse(), status, body)));
        } finally {
            if (!written.get()) {
                onFailure.run();
            }
        }
    }

    /** Sets a status that meters count neither as a success nor as a server error. */
    private void markDisconnected() {
        ((HttpServletResponse) async.getResponse()).setStatus(CLIENT_DISCONNECTED);
    }

    /** Runs an action and ends the request. Does nothing if the request has ended. */
    private void end(Runnable last) {
        lock.lock();
        try {
            if (!ended) {
                complete(last);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends the request on behalf of the container, which may have rejected an earlier completion. */
    private void endForContainer(Runnable last) {
        lock.lock();
        try {
            complete(last);
        } finally {
            lock.unlock();
        }
    }

    private void complete(Runnable last) {
        ended = true;
        try {
            try {
                last.run();
            } finally {
                async.complete();
            }
        } catch (IllegalStateException alreadyEnded) {
            // by the container, since the connection is closed
        }
    }

    @Override
    public void onComplete(AsyncEvent event) {
        ended = true; // without the lock, because the container holds a lock that a write needs
        onEnd.run();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        onEnd.run();
        endForContainer(() -> {});
    }

    @Override
    public void onError(AsyncEvent event) {
        onEnd.run();
        endForContainer(this::markDisconnected);
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        // requests are started once only
    }
}
