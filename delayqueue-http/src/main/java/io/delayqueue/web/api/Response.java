package io.delayqueue.web.api;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A response to a client.
 *
 * @param headers names and values
 * @param body null if the response has none
 * @param written called once after the whole response was flushed; not called if the write fails
 * @param <T> type of the body
 */
public record Response<T>(
        int status, Map<String, String> headers, @Nullable T body, Runnable written) {

    /**
     * Status of a request whose client disconnected before the response, as used by nginx. Only meters report it, and
     * it must not count as a server error.
     */
    static final int CLIENT_DISCONNECTED = 499;

    static <T> Response<T> ok(T body) {
        return of(200, body);
    }

    static <T> Response<T> of(int status, T body) {
        return new Response<>(status, Map.of(), body, Response::ignore);
    }

    static <T> Response<T> empty(int status) {
        return new Response<>(status, Map.of(), null, Response::ignore);
    }

    Response<T> header(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Response<>(status, more, body, written);
    }

    Response<T> whenWritten(Runnable listener) {
        return new Response<>(status, headers, body, listener);
    }

    private static void ignore() {}
}
