package io.delayqueue.web.compat;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;

/** Writes responses. Thread-safe. */
final class ResponseWriter {

    /** Time for a slow client to read the response. */
    private static final Duration WRITE_TIMEOUT = Duration.ofMinutes(5);

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

    /** Writes a response on the calling thread, and returns whether that succeeded. */
    boolean isWritten(HttpServletResponse response, int status, byte[] body) {
        try {
            write(response, status, body);
            return true;
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    /**
     * Starts asynchronous processing of a request. If the container rejects its completion, the request ends at its
     * timeout.
     *
     * @param wait maximum time until the response is written
     * @param onEnd called when the request ends for any reason, possibly more than once
     */
    AsyncResponse begin(HttpServletRequest request, Duration wait, Runnable onEnd) {
        return AsyncResponse.begin(request, this, wait.plus(timeout), onEnd);
    }
}
