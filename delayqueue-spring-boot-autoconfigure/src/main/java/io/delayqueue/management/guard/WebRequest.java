package io.delayqueue.management.guard;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the policy knows about a request, on any web stack.
 *
 * @param server the scheme and authority of the request's URL, perhaps of forwarded headers
 * @param tls whether the connection to this server uses TLS, whatever forwarded headers say
 * @param query the query as sent
 * @param headers returns a header of the request, several values joined by commas
 */
public record WebRequest(
        String method, String server, boolean tls, @Nullable String query, Function<String, @Nullable String> headers) {

    /** Returns a header, several values joined by commas; null if it is absent. */
    @Nullable
    String header(String name) {
        return headers.apply(name);
    }
}
