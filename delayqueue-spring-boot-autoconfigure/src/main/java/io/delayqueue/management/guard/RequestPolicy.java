package io.delayqueue.management.guard;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.Principal;
import java.util.Base64;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides which requests to the endpoint, the dashboard and the HTTP interfaces are rejected, and why. Thread-safe.
 *
 * <ul>
 *   <li><b>CSRF.</b> A page of another site may read the endpoint and the dashboard, because it may link to them, but may
 *       not act ({@link #checkAction}). It may not call an HTTP interface at all, even with valid credentials.
 *   <li><b>Hosts.</b> A request without HTTPS and authentication must use a host that no other site can have
 *       ({@link #checkHost}).
 *   <li><b>Tokens.</b> If clients are configured, a call of an HTTP interface needs a token of one of them
 *       ({@link #checkCall}), which has permissions and limits.
 *   <li><b>Authorities.</b> Otherwise the application's own security must have authenticated the caller and granted it the
 *       {@linkplain Permission#authority() authority} of the operation. Unsecured HTTP interfaces need neither, but the
 *       rule about hosts applies. The endpoint and the dashboard leave authorization to the application's security.
 * </ul>
 */
public final class RequestPolicy {

    /** Rejects an action whose request an HTML form could have sent. */
    public static final Rejection NOT_JSON =
            new Rejection(415, "An action requires a JSON body and the header Content-Type: application/json.");

    private static final Rejection QUERY_PARAMETERS =
            new Rejection(400, "The parameters of an action must be in the JSON body, not in the query.");

    private static final Rejection CROSS_SITE_ACTION =
            new Rejection(403, "Requests of pages of another origin must not change anything.");

    private static final Rejection CROSS_SITE_CALL =
            new Rejection(403, "Cross-site browser requests are rejected. Send the request from your own server.");

    private static final Rejection UNKNOWN_HOST = new Rejection(
            403,
            "Any site can give this server a host name of its own. A request without HTTPS and authentication must use an"
                    + " address, a name without a dot, or a host of delayqueue.allowed-hosts, also in the header Host.");

    private static final Rejection UNKNOWN_TOKEN = new Rejection(
            401,
            "The token is missing or unknown. Send a token of delayqueue.http.clients as 'Authorization: Bearer"
                    + " <token>', or as the password of HTTP Basic.");

    private static final Set<String> SAFE_METHODS = Set.of("GET", "HEAD", "OPTIONS");

    private final Set<String> allowedHosts;
    private final List<Client> clients;
    private final boolean unsecured;

    /**
     * Creates a policy.
     *
     * @param allowedHosts hosts that requests without HTTPS and authentication may use, in addition to those that no other
     *     site can have
     * @param clients clients of the HTTP interfaces; if there are none, the application's own security authenticates them
     * @param unsecured whether every call is authorized if no clients are configured
     */
    public RequestPolicy(Collection<String> allowedHosts, List<Client> clients, boolean unsecured) {
        this.allowedHosts = allowedHosts.stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .collect(Collectors.toUnmodifiableSet());
        this.clients = List.copyOf(clients);
        this.unsecured = unsecured;
    }

    /**
     * Checks that no page of another site sent a request to the endpoint or the dashboard that may change something. An
     * action needs a JSON body, which a form of such a page cannot send; some servers fail on a multipart body before the
     * framework can reject it. Parameters in the query would override those of the body; names with a leading underscore
     * are permitted for other purposes, such as Spring Security's {@code _csrf}.
     *
     * @return null if the request is permitted
     */
    public @Nullable Rejection checkAction(WebRequest request) {
        if (!SAFE_METHODS.contains(request.method()) && isCrossSite(request)) {
            return CROSS_SITE_ACTION;
        }
        if (!request.method().equals("POST")) {
            return null;
        }
        if (!isJson(request.header("Content-Type"))) {
            return NOT_JSON;
        }
        String query = request.query();
        return query != null && Stream.of(query.split("&")).anyMatch(each -> !each.isEmpty() && !each.startsWith("_"))
                ? QUERY_PARAMETERS
                : null;
    }

    /**
     * Checks that the host of a request is not one that another site can have.
     *
     * <p>Any site can change the address of a host name of its own to that of this server (DNS rebinding). Its page then
     * has the same origin as the server: it reads responses, and its requests do not differ from those of a program. With
     * HTTPS it cannot, because the browser verifies the certificate. Nor has it credentials, which browsers keep for each
     * host.
     *
     * <p>Such a page may set forwarded headers, because its requests have the same origin. Therefore the header
     * {@code Host}, which only the browser sets, must be allowed, too, and a forwarded scheme is no proof of HTTPS.
     *
     * @param authenticated whether the application's security authenticated the caller
     * @return null if the request is permitted
     */
    public @Nullable Rejection checkHost(WebRequest request, boolean authenticated) {
        if (authenticated || request.tls() || isOfPageWithHttps(request)) {
            return null;
        }
        String host = request.header("Host");
        return isForeign(request.server()) || (host != null && isForeign("http://" + host)) ? UNKNOWN_HOST : null;
    }

    /**
     * Checks a call of an operation of an HTTP interface.
     *
     * @param client from {@link #clientOf}
     * @param granted whether the application's security granted the caller an authority; asked if it is authenticated
     * @param anyOf sufficient permissions, in addition to {@link Permission#ADMIN}
     * @return null if the call is permitted; the caller checks the topics of the request with {@link Client#requireTopic}
     */
    public @Nullable Rejection checkCall(
            WebRequest request, @Nullable Client client, Predicate<String> granted, Permission... anyOf) {
        if (isCrossSite(request)) {
            return CROSS_SITE_CALL;
        }
        if (client == null) {
            return UNKNOWN_TOKEN;
        }
        if (!clients.isEmpty()) {
            return checkClient(client, anyOf);
        }
        return unsecured
                ? checkHost(request, client.isAuthenticated())
                : checkAuthorities(client.isAuthenticated(), granted, anyOf);
    }

    /**
     * Returns the client of a call of an HTTP interface.
     *
     * @param authorization the header: {@code Bearer <token>}, or the token as the password of HTTP Basic with any user name
     * @param user authenticated by the application's own security, which counts if no clients are configured
     * @return null if clients are configured, and the token is missing or unknown
     */
    public @Nullable Client clientOf(@Nullable String authorization, @Nullable Principal user) {
        return clients.isEmpty() ? Client.ofUser(user) : clientWithToken(authorization);
    }

    /**
     * Returns the client that has the token of a request; null if there is none. Compares with every token, so that the
     * response time reveals nothing about the configured tokens.
     */
    public @Nullable Client clientWithToken(@Nullable String authorization) {
        String token = authorization == null ? null : token(authorization);
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

    /**
     * Whether a page of another site sent the request. Browsers say so themselves, which a page cannot change. Older
     * browsers, and others for a server without HTTPS, send the origin of the page only. Programs send neither.
     */
    private static boolean isCrossSite(WebRequest request) {
        String site = request.header("Sec-Fetch-Site");
        if (site != null) {
            return !site.equals("same-origin") && !site.equals("none");
        }
        String origin = request.header("Origin");
        if (origin == null) {
            return false;
        }
        WebOrigin page = WebOrigin.parse(origin);
        WebOrigin own = WebOrigin.parse(request.server());
        return page == null || own == null || !page.mayActOn(own);
    }

    private static boolean isJson(@Nullable String contentType) {
        if (contentType == null) {
            return false;
        }
        int end = contentType.indexOf(';');
        String type =
                (end < 0 ? contentType : contentType.substring(0, end)).strip().toLowerCase(Locale.ROOT);
        return type.equals("application/json") || type.endsWith("+json");
    }

    /** Whether a browser has loaded the page with HTTPS, so that a proxy has terminated TLS. No page can set these headers. */
    private static boolean isOfPageWithHttps(WebRequest request) {
        String origin = request.header("Origin");
        WebOrigin page = origin == null ? null : WebOrigin.parse(origin);
        // browsers send Sec-Fetch-Site with HTTPS, and to localhost, only
        return (page != null && page.secure()) || request.header("Sec-Fetch-Site") != null;
    }

    private boolean isForeign(String server) {
        WebOrigin own = WebOrigin.parse(server);
        return own == null || (!own.secure() && own.hasPublicName() && !allowedHosts.contains(own.host()));
    }

    private static @Nullable Rejection checkClient(Client client, Permission... anyOf) {
        if (!client.isWithinRateLimit()) {
            return new Rejection(
                    429,
                    "Client '" + client.name() + "' sends more requests per second than this node permits"
                            + " (delayqueue.http.clients." + client.name()
                            + ".requests-per-second). Nothing changed. Repeat the request later.");
        }
        return client.hasAny(anyOf)
                ? null
                : new Rejection(
                        403,
                        "Client '" + client.name() + "' lacks the required permission: "
                                + alternatives(anyOf, each -> each.name().toLowerCase(Locale.ROOT))
                                + ". Set it in delayqueue.http.clients." + client.name() + ".permissions.");
    }

    private static @Nullable Rejection checkAuthorities(
            boolean authenticated, Predicate<String> granted, Permission... anyOf) {
        if (authenticated
                && EnumSet.of(Permission.ADMIN, anyOf).stream().anyMatch(each -> granted.test(each.authority()))) {
            return null;
        }
        String authorities = alternatives(anyOf, Permission::authority);
        return new Rejection(
                403,
                authenticated
                        ? "The client lacks the required authority: " + authorities
                                + ". Grant it one of them in the application's security."
                        : "The request is not authenticated. This operation requires the authority " + authorities
                                + ". Configure a Spring Security filter chain that authenticates clients at this path and"
                                + " grants it, or set delayqueue.http.clients or delayqueue.http.unsecured.");
    }

    private static String alternatives(Permission[] anyOf, Function<Permission, String> name) {
        List<String> names =
                EnumSet.of(Permission.ADMIN, anyOf).stream().map(name).toList();
        int last = names.size() - 1;
        return last == 0 ? names.get(0) : String.join(", ", names.subList(0, last)) + " or " + names.get(last);
    }

    private static @Nullable String token(String authorization) {
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
