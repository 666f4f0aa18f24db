package io.delayqueue.management.guard;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the guards know about a request, on any web stack.
 *
 * @param server the scheme and authority of the request's URL
 * @param tls whether the connection to this server uses TLS, whatever forwarded headers say
 * @param query the query as sent
 * @param headers returns a header of the request, several values joined by commas
 */
public record WebRequest(
        String method, String server, boolean tls, @Nullable String query, Function<String, @Nullable String> headers) {

    /** Returns a header, several values joined by commas; null if it is absent. */
    public @Nullable String header(String name) {
        return headers.apply(name);
    }

    /**
     * Whether a page of another site sent the request. Browsers say so themselves, which a page cannot change. Older
     * browsers, and others for a server without HTTPS, send the origin of the page only. Programs send neither.
     */
    public boolean isCrossSite() {
        String site = header("Sec-Fetch-Site");
        if (site != null) {
            return !site.equals("same-origin") && !site.equals("none");
        }
        String origin = header("Origin");
        if (origin == null) {
            return false;
        }
        WebOrigin page = WebOrigin.parse(origin);
        WebOrigin own = WebOrigin.parse(server);
        return page == null || own == null || !page.mayActOn(own);
    }

    /** Whether an unauthenticated request may come from a page of another site that has the host of this server. */
    public boolean mayBeRebound(AllowedHosts hosts) {
        return hosts.mayBeRebound(server, tls, headers);
    }
}
