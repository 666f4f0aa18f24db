package io.delayqueue.web.guard;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.Principal;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Authorizes requests to the HTTP interfaces. Thread-safe.
 *
 * <p>A client sends a token as {@code Authorization: Bearer <token>}, or as the password of HTTP Basic with any user
 * name. The token is compared with every configured token in constant time. If no tokens are configured, the
 * application's own security must have authenticated the client and granted it the
 * {@linkplain Permission#authority() authority} of the operation. With {@code delayqueue.http.unsecured} and no tokens,
 * every request is authorized.
 *
 * <p>Cross-site browser requests are always rejected, even with valid credentials, as protection against CSRF.
 */
public final class AccessGuard {

    private static final AccessDenied CROSS_SITE =
            new AccessDenied(403, "Cross-site browser requests are rejected. Send the request from your own server.");
    private static final AccessDenied UNKNOWN = new AccessDenied(
            401,
            "The token is missing or unknown. Send a token of delayqueue.http.tokens as 'Authorization: Bearer <token>',"
                    + " or as the password of HTTP Basic.");
    private static final AccessDenied NOT_PERMITTED = new AccessDenied(
            403,
            "The token lacks the required permission. Use a token of delayqueue.http.tokens.produce, consume or admin"
                    + " that allows this operation.");

    private final Map<Permission, List<byte[]>> digests = new EnumMap<>(Permission.class);
    private final boolean hasTokens;
    private final boolean unsecured;
    private final BiPredicate<HttpServletRequest, String> granted;

    /**
     * Creates a guard. If all three lists are empty, the application's own security authenticates clients.
     *
     * @param produce tokens that grant {@link Permission#PRODUCE}
     * @param consume tokens that grant {@link Permission#CONSUME}
     * @param admin tokens that grant every permission
     * @param unsecured whether to authorize every request if no tokens are configured
     * @param granted tests whether the application's security granted an authority to the client of a request; called
     *     for authenticated clients only
     */
    public AccessGuard(
            List<String> produce,
            List<String> consume,
            List<String> admin,
            boolean unsecured,
            BiPredicate<HttpServletRequest, String> granted) {
        this.unsecured = unsecured;
        this.granted = granted;
        digests.put(Permission.PRODUCE, digests(produce));
        digests.put(Permission.CONSUME, digests(consume));
        digests.put(Permission.ADMIN, digests(admin));
        this.hasTokens = !digests.values().stream().allMatch(List::isEmpty);
    }

    /**
     * Checks whether a request is authorized.
     *
     * @param response receives the {@code WWW-Authenticate} header if the token is missing or unknown
     * @param anyOf sufficient permissions, in addition to {@link Permission#ADMIN}
     * @return why the request is not authorized, or null if it is authorized
     */
    public @Nullable AccessDenied check(HttpServletRequest request, HttpServletResponse response, Permission... anyOf) {
        if (isCrossSite(request)) {
            return CROSS_SITE;
        }
        if (hasTokens) {
            return checkToken(request, response, anyOf);
        }
        return unsecured ? null : checkAuthorities(request, anyOf);
    }

    private @Nullable AccessDenied checkToken(
            HttpServletRequest request, HttpServletResponse response, Permission... anyOf) {
        String token = token(request.getHeader("Authorization"));
        Set<Permission> given = token == null ? Set.of() : permissions(token);
        if (given.isEmpty()) {
            response.setHeader("WWW-Authenticate", "Bearer realm=\"delayqueue\"");
            return UNKNOWN;
        }
        boolean permitted =
                given.contains(Permission.ADMIN) || Arrays.stream(anyOf).anyMatch(given::contains);
        return permitted ? null : NOT_PERMITTED;
    }

    private @Nullable AccessDenied checkAuthorities(HttpServletRequest request, Permission... anyOf) {
        Set<Permission> enough = EnumSet.of(Permission.ADMIN, anyOf);
        boolean authenticated = request.getUserPrincipal() != null;
        if (authenticated && enough.stream().anyMatch(each -> granted.test(request, each.authority()))) {
            return null;
        }
        String authorities = alternatives(enough);
        return new AccessDenied(
                403,
                authenticated
                        ? "The client lacks the required authority: " + authorities
                                + ". Grant it one of them in the application's security."
                        : "The request is not authenticated. This operation requires the authority " + authorities
                                + ". Configure a Spring Security filter chain that authenticates clients at this path and"
                                + " grants it, or set delayqueue.http.tokens or delayqueue.http.unsecured.");
    }

    private static String alternatives(Set<Permission> permissions) {
        List<String> names = permissions.stream().map(Permission::authority).toList();
        int last = names.size() - 1;
        return last == 0 ? names.get(0) : String.join(", ", names.subList(0, last)) + " or " + names.get(last);
    }

    /**
     * Identifies the client of an authorized request, by its token or by its user name in the application's own
     * security.
     *
     * @return a hash of fixed length that does not reveal the token; empty if the client is not authenticated
     */
    public String client(HttpServletRequest request) {
        String token = hasTokens ? token(request.getHeader("Authorization")) : null;
        Principal user = hasTokens ? null : request.getUserPrincipal();
        if (token == null && user == null) {
            return "";
        }
        return HexFormat.of().formatHex(digest(user == null ? "token " + token : "user " + user.getName()));
    }

    /** Compares with every token, so that the response time reveals nothing about the configured tokens. */
    private Set<Permission> permissions(String token) {
        byte[] digest = digest(token);
        Set<Permission> given = EnumSet.noneOf(Permission.class);
        digests.forEach((permission, known) -> {
            for (byte[] each : known) {
                if (MessageDigest.isEqual(each, digest)) {
                    given.add(permission);
                }
            }
        });
        return given;
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
            String pair = new String(Base64.getDecoder().decode(credentials), StandardCharsets.UTF_8);
            int colon = pair.indexOf(':');
            return colon < 0 ? null : pair.substring(colon + 1);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Older browsers send {@code Origin} only. Other clients send neither header. */
    private static boolean isCrossSite(HttpServletRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        if (site != null) {
            return !site.equals("same-origin") && !site.equals("none");
        }
        String origin = request.getHeader("Origin");
        String host = request.getHeader("Host");
        return origin != null
                && (host == null || !origin.toLowerCase(Locale.ROOT).endsWith("://" + host.toLowerCase(Locale.ROOT)));
    }

    private static List<byte[]> digests(List<String> tokens) {
        return tokens.stream().map(AccessGuard::digest).toList();
    }

    private static byte[] digest(String token) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
