package io.delayqueue.web.api;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A response to a client. Immutable.
 *
 * @param <T> type of the body
 */
public final class Response<T> {

    /**
     * Status of a request whose client disconnected before the response, as used by nginx. Only meters read it; it must
     * not count as a failure of the server.
     */
    static final int CLIENT_DISCONNECTED = 499;

    private final int status;
    private final Map<String, String> headers;
    private final @Nullable T body;
    private final @Nullable Runnable written;

    private Response(int status, Map<String, String> headers, @Nullable T body, @Nullable Runnable written) {
        this.status = status;
        this.headers = headers;
        this.body = body;
        this.written = written;
    }

    static <T> Response<T> ok(T body) {
        return of(200, body);
    }

    static <T> Response<T> of(int status, T body) {
        return new Response<>(status, Map.of(), body, null);
    }

    static Response<Void> empty(int status) {
        return new Response<>(status, Map.of(), null, null);
    }

    Response<T> header(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Response<>(status, more, body, written);
    }

    /**
     * Returns a copy with a listener.
     *
     * @param listener called once after the whole response was flushed
     */
    Response<T> whenWritten(Runnable listener) {
        return new Response<>(status, headers, body, listener);
    }

    int status() {
        return status;
    }

    Map<String, String> headers() {
        return headers;
    }

    @Nullable
    T body() {
        return body;
    }

    void written() {
        if (written != null) {
            written.run();
        }
    }
}
