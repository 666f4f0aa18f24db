package io.delayqueue.web.compat;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Supplier;

/** Writes answers. Thread-safe. */
final class AnswerWriter {

    /** A slow client may take so long to read. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final String contentType;
    private final Duration patience;

    AnswerWriter(String contentType) {
        this(contentType, PATIENCE);
    }

    AnswerWriter(String contentType, Duration patience) {
        this.contentType = contentType;
        this.patience = patience;
    }

    /** On this thread. */
    void write(HttpServletResponse response, int status, byte[] body) throws IOException {
        response.setStatus(status);
        response.setContentType(contentType);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
        response.flushBuffer();
    }

    /**
     * Lets a request wait for {@link #writeLater}. One that could not be ended, since the container refused even that,
     * times out.
     *
     * @param wait for how long there may rightly be no answer
     */
    AsyncContext begin(HttpServletRequest request, Duration wait) {
        AsyncContext async = request.startAsync();
        async.setTimeout(wait.plus(patience).toMillis());
        return async;
    }

    /**
     * On a thread of the container, which ends the request.
     *
     * @param onFailure called if the client can't have got it
     * @throws RuntimeException if the container takes it no more; then the request has ended, and nothing was called
     */
    void writeLater(AsyncContext async, Supplier<byte[]> body, Runnable onFailure) {
        try {
            byte[] bytes = body.get();
            async.start(() -> write(async, bytes, onFailure));
        } catch (RuntimeException | Error e) {
            end(async);
            throw e;
        }
    }

    private void write(AsyncContext async, byte[] body, Runnable onFailure) {
        try {
            write((HttpServletResponse) async.getResponse(), HttpServletResponse.SC_OK, body);
        } catch (IOException | RuntimeException e) {
            onFailure.run();
        } finally {
            end(async);
        }
    }

    /** Ends a request, if it has not ended yet. */
    static void end(AsyncContext async) {
        try {
            async.complete();
        } catch (IllegalStateException alreadyEnded) {
            // by the container, since the connection is gone
        }
    }
}
