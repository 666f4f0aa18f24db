package io.delayqueue.actuate.guard;

import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The host names by which requests without HTTPS and authentication may reach this server. Thread-safe.
 *
 * <p>Any site can change the address of a host name of its own to that of this server (DNS rebinding). Its page then has
 * the same origin as the server: it reads responses, and its requests do not differ from those of a program. With HTTPS
 * it cannot, because the browser verifies the certificate. Nor has it credentials, which browsers keep for each host.
 */
public final class AllowedHosts {

    /** Why a request is rejected, and what to do. Contains no quotes. */
    public static final String SENTENCE =
            "Any site can give this server a host name of its own. A request without HTTPS and"
                    + " authentication must use an address, a name without a dot, or a host of delayqueue.allowed-hosts.";

    private final Set<String> names;

    /** Allows names in addition to those that no other site can have. */
    public AllowedHosts(Collection<String> names) {
        this.names = names.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Whether an unauthenticated request may come from a page of another site.
     *
     * @param server the scheme and authority of the request's URL
     * @param origin the header Origin; null for a program, and for a page that reads from its own server
     */
    public boolean mayBeRebound(String server, @Nullable String origin) {
        WebOrigin page = origin == null ? null : WebOrigin.parse(origin);
        if (page != null && page.secure()) {
            return false; // a proxy has terminated TLS
        }
        WebOrigin own = WebOrigin.parse(server);
        return own == null || (!own.secure() && own.hasPublicName() && !names.contains(own.host()));
    }
}
