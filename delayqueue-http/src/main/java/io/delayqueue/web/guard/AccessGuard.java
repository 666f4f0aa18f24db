package io.delayqueue.web.guard;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.management.guard.AllowedHosts;
import io.delayqueue.management.guard.ServletWebRequests;
import io.delayqueue.management.guard.WebRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Authorizes requests to the HTTP interfaces. Thread-safe.
 *
 * <p>A client sends a token as {@code Authorization: Bearer <token>}, or as the password of HTTP Basic with any user
 * name. The token is compared with every configured token in constant time. If no clients are configured, the
 * application's own security must have authenticated the client and granted it the
 * {@linkplain Permission#authority() authority} of the operation. With {@code delayqueue.http.unsecured} and no clients,
 * every request is authorized whose host no other site can have.
 *
 * <p>Cross-site browser requests are always rejected, even with valid credentials, as protection against CSRF.
 */
public final class AccessGuard {

    private static final String RETRY_AFTER = "1"; // the rate limit permits at least one request per second

    private final List<Client> clients;
    private final boolean unsecured;
    private final BiPredicate<HttpServletRequest, String> granted;
    private final AllowedHosts hosts;

    /**
     * Creates a guard.
     *
     * @param clients configured clients; if there are none, the application's own security authenticates clients
     * @param unsecured whether to authorize every request if no clients are configured
     * @param granted tests whether the application's security granted an authority to the client of a request; called
     *     for authenticated clients only
     * @param hosts hosts of requests without authentication
     */
    public AccessGuard(
            List<Client> clients,
            boolean unsecured,
            BiPredicate<HttpServletRequest, String> granted,
            AllowedHosts hosts) {
        this.clients = List.copyOf(clients);
        this.unsecured = unsecured;
        this.granted = granted;
        this.hosts = hosts;
    }

    /**
     * Authorizes a request to an operation. The caller checks the topics of the request with
     * {@link Client#requireTopic}.
     *
     * @param response receives the headers of a rejection: {@code WWW-Authenticate} or {@code Retry-After}
     * @param operation one of a limited number of names, for meters
     * @param anyOf sufficient permissions, in addition to {@link Permission#ADMIN}
     * @return the client
     * @throws AccessDeniedException if the request is not authorized
     */
    public Client authorize(
            HttpServletRequest request, HttpServletResponse response, String operation, Permission... anyOf) {
        RequestFacts.operation(request, operation);
        WebRequest web = ServletWebRequests.of(request);
        if (web.isCrossSite()) {
            throw new AccessDeniedException(
                    Rejection.FORBIDDEN,
                    "Cross-site browser requests are rejected. Send the request from your own server.");
        }
        if (!clients.isEmpty()) {
            return authorizeToken(request, response, anyOf);
        }
        if (!unsecured) {
            checkAuthorities(request, anyOf);
        } else if (request.getUserPrincipal() == null && web.mayBeRebound(hosts)) {
            throw new AccessDeniedException(Rejection.FORBIDDEN, AllowedHosts.SENTENCE);
        }
        Client user = Client.ofUser(request.getUserPrincipal());
        RequestFacts.client(request, user);
        return user;
    }

    private Client authorizeToken(HttpServletRequest request, HttpServletResponse response, Permission... anyOf) {
        Client client = clientOf(request);
        if (client == null) {
            response.setHeader("WWW-Authenticate", "Bearer realm=\"delayqueue\"");
            throw new AccessDeniedException(
                    Rejection.UNAUTHORIZED,
                    "The token is missing or unknown. Send a token of delayqueue.http.clients as 'Authorization: Bearer"
                            + " <token>', or as the password of HTTP Basic.");
        }
        RequestFacts.client(request, client);
        if (!client.isWithinRateLimit()) {
            response.setHeader("Retry-After", RETRY_AFTER);
            throw new AccessDeniedException(
                    Rejection.TOO_MANY_REQUESTS,
                    "Client '" + client.name() + "' sends more requests per second than this node permits"
                            + " (delayqueue.http.clients." + client.name()
                            + ".requests-per-second). Nothing changed. Repeat the request later.");
        }
        if (!client.hasAny(anyOf)) {
            throw new AccessDeniedException(
                    Rejection.FORBIDDEN,
                    "Client '" + client.name() + "' lacks the required permission: " + alternatives(anyOf, false)
                            + ". Set it in delayqueue.http.clients." + client.name() + ".permissions.");
        }
        return client;
    }

    /**
     * Returns the client of the request's token; null if it has none or an unknown one. Compares with every token, so that
     * the response time reveals nothing about the configured tokens.
     */
    @Nullable
    Client clientOf(HttpServletRequest request) {
        String token = token(request.getHeader("Authorization"));
        if (token == null) {
            return null;
        }
        byte[] digest = Client.digest(token);
        Client found = null;
        for (Client each : clients) {
            if (each.hasToken(digest)) {
                found = each;
            }
        }
        return found;
    }

    private void checkAuthorities(HttpServletRequest request, Permission... anyOf) {
        boolean authenticated = request.getUserPrincipal() != null;
        if (authenticated
                && EnumSet.of(Permission.ADMIN, anyOf).stream()
                        .anyMatch(each -> granted.test(request, each.authority()))) {
            return;
        }
        String authorities = alternatives(anyOf, true);
        throw new AccessDeniedException(
                Rejection.FORBIDDEN,
                authenticated
                        ? "The client lacks the required authority: " + authorities
                                + ". Grant it one of them in the application's security."
                        : "The request is not authenticated. This operation requires the authority " + authorities
                                + ". Configure a Spring Security filter chain that authenticates clients at this path and"
                                + " grants it, or set delayqueue.http.clients or delayqueue.http.unsecured.");
    }

    private static String alternatives(Permission[] anyOf, boolean asAuthorities) {
        Set<Permission> enough = EnumSet.of(Permission.ADMIN, anyOf);
        List<String> names = enough.stream()
                .map(each -> asAuthorities ? each.authority() : each.name().toLowerCase(Locale.ROOT))
                .toList();
        int last = names.size() - 1;
        return last == 0 ? names.get(0) : String.join(", ", names.subList(0, last)) + " or " + names.get(last);
    }

    private static @Nullable String token(@Nullable String authorization) {
        if (authorization == null) {
            return null;
        }
        int space = authorization.indexOf(' ');
        String scheme = authorization.substring(0, Math.max(0, space)).toLowerCase(Locale.ROOT);
        String credentials = authorization.substring(space + 1).strip();
        return switch (scheme) {
            case "bearer" -> credentials;
            case "basic" -> password(credentials);
            default -> null;
        };
    }

    private static @Nullable String password(String credentials) {
        try {
            String pair = new String(Base64.getDecoder().decode(credentials), UTF_8);
            int colon = pair.indexOf(':');
            return colon < 0 ? null : pair.substring(colon + 1);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
