package io.delayqueue.management.guard;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The host names by which requests without HTTPS and authentication may reach this server. Thread-safe.
 *
 * <p>Any site can change the address of a host name of its own to that of this server (DNS rebinding). Its page then has
 * the same origin as the server: it reads responses, and its requests do not differ from those of a program. With HTTPS
 * it cannot, because the browser verifies the certificate. Nor has it credentials, which browsers keep for each host.
 *
 * <p>Such a page may set forwarded headers, because its requests have the same origin. Therefore the header {@code Host},
 * which only the browser sets, must be allowed, too, and a forwarded scheme is no proof of HTTPS.
 */
public final class AllowedHosts {

    /** Why a request is rejected, and what to do. Contains no quotes. */
    public static final String SENTENCE =
            "Any site can give this server a host name of its own. A request without HTTPS and authentication must use an"
                    + " address, a name without a dot, or a host of delayqueue.allowed-hosts, also in the header Host.";

    private final Set<String> names;

    /** Allows names in addition to those that no other site can have. */
    public AllowedHosts(Collection<String> names) {
        this.names = names.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Whether an unauthenticated request may come from a page of another site.
     *
     * @param server the scheme and authority of the request's URL, perhaps of forwarded headers
     * @param tls whether the connection to this server uses TLS
     * @param header reads a header of the request
     */
    public boolean mayBeRebound(String server, boolean tls, Function<String, @Nullable String> header) {
        return !tls
                && !isPageWithHttps(header)
                && (isForeign(server)
                        || Optional.ofNullable(header.apply("Host"))
                                .filter(host -> isForeign("http://" + host))
                                .isPresent());
    }

    /** Whether a browser has loaded the page with HTTPS, so that a proxy has terminated TLS. No page can set these headers. */
    private static boolean isPageWithHttps(Function<String, @Nullable String> header) {
        String origin = header.apply("Origin");
        WebOrigin page = origin == null ? null : WebOrigin.parse(origin);
        // browsers send Sec-Fetch-Site with HTTPS, and to localhost, only
        return (page != null && page.secure()) || header.apply("Sec-Fetch-Site") != null;
    }

    private boolean isForeign(String server) {
        WebOrigin own = WebOrigin.parse(server);
        return own == null || (!own.secure() && own.hasPublicName() && !names.contains(own.host()));
    }
}
