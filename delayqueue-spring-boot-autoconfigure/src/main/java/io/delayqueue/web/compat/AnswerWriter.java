package io.delayqueue.web.compat;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Writes answers. Thread-safe. */
final class AnswerWriter {

    private final String contentType;

    AnswerWriter(String contentType) {
        this.contentType = contentType;
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
     * On a thread of the container, which ends the request.
     *
     * @param onFailure called if the client can't have got it
     * @throws RuntimeException if the container takes it no more; then the request has ended, and nothing was called
     */
    void writeLater(AsyncContext async, byte[] body, Runnable onFailure) {
        try {
            async.start(() -> write(async, body, onFailure));
        } catch (RuntimeException e) {
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
