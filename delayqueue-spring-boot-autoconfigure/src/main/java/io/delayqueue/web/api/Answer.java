package io.delayqueue.web.api;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What goes back to a client. Immutable.
 *
 * @param <T> of the body
 */
public final class Answer<T> {

    private final int status;
    private final Map<String, String> headers;
    private final @Nullable T body;
    private final @Nullable Runnable written;

    private Answer(int status, Map<String, String> headers, @Nullable T body, @Nullable Runnable written) {
        this.status = status;
        this.headers = headers;
        this.body = body;
        this.written = written;
    }

    static <T> Answer<T> ok(T body) {
        return of(200, body);
    }

    static <T> Answer<T> of(int status, T body) {
        return new Answer<>(status, Map.of(), body, null);
    }

    static Answer<Void> empty(int status) {
        return new Answer<>(status, Map.of(), null, null);
    }

    Answer<T> header(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Answer<>(status, more, body, written);
    }

    /**
     * The same, and somebody who hears of it.
     *
     * @param listener called once all of it is on its way
     */
    Answer<T> whenWritten(Runnable listener) {
        return new Answer<>(status, headers, body, listener);
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
