package io.delayqueue.web.guard;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides who is let in. Thread-safe.
 *
 * <p>A token comes as {@code Authorization: Bearer <token>}, or as the password of HTTP Basic under any name. It is compared
 * with all that there are, in a time that doesn't depend on where it differs. Where there are none, a chain of the
 * application's Spring Security has decided before, or everybody is let in if that was said; a path that no chain covers is
 * closed.
 *
 * <p>Pages of other sites are refused whatever they bring: what reaches a door by a browser that somebody else's page
 * steers was not sent by the one who is let in.
 */
public final class AccessGuard {

    private static final Refusal FOREIGN_PAGE =
            new Refusal(403, "Pages of other sites may not use this interface: let your own server do it.");
    private static final Refusal UNKNOWN = new Refusal(
            401,
            "Send a token of delayqueue.http.tokens as 'Authorization: Bearer <token>', or as the password of HTTP"
                    + " Basic.");
    private static final Refusal NOT_PERMITTED = new Refusal(
            403, "This token is not for that: see what delayqueue.http.tokens.produce, consume and admin allow.");

    private static final Refusal NOT_COVERED = new Refusal(
            403,
            "No chain of the application's Spring Security stands before this path: add one with a securityMatcher for"
                    + " it, or set delayqueue.http.tokens or delayqueue.http.unsecured.");

    /** What each chain that was built by HttpSecurity leaves on the requests that it matches. */
    private static final String COVERED =
            "org.springframework.security.web.context.SecurityContextHolderFilter.APPLIED";

    private final Map<Permission, List<byte[]>> digests = new EnumMap<>(Permission.class);
    private final boolean hasTokens;
    private final boolean unsecured;

    /**
     * With the tokens of each kind; with none at all, Spring Security decides.
     *
     * @param admin tokens that are good for everything
     * @param unsecured whether everybody is let in where there are no tokens, and nothing else decided
     */
    public AccessGuard(List<String> produce, List<String> consume, List<String> admin, boolean unsecured) {
        this.unsecured = unsecured;
        digests.put(Permission.PRODUCE, digests(produce));
        digests.put(Permission.CONSUME, digests(consume));
        digests.put(Permission.ADMIN, digests(admin));
        this.hasTokens = !digests.values().stream().allMatch(List::isEmpty);
    }

    /**
     * Judges a request.
     *
     * @param response gets the header that a refusal brings along
     * @param anyOf what it takes: one of these, or {@link Permission#ADMIN}
     * @return why it must not be handled, or null if it may
     */
    public @Nullable Refusal check(HttpServletRequest request, HttpServletResponse response, Permission... anyOf) {
        if (isOfForeignPage(request)) {
            return FOREIGN_PAGE;
        }
        if (!hasTokens) {
            return unsecured || request.getAttribute(COVERED) != null ? null : NOT_COVERED;
        }
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

    /**
     * Lets a request through.
     *
     * @throws AccessRefusedException if it must not be handled
     */
    public void require(HttpServletRequest request, HttpServletResponse response, Permission... anyOf) {
        Refusal refusal = check(request, response, anyOf);
        if (refusal != null) {
            throw new AccessRefusedException(refusal);
        }
    }

    /** Compares with each token, so that nobody learns by the time it takes which ones there are. */
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

    /** Older browsers send the origin only; what is no browser sends neither. */
    private static boolean isOfForeignPage(HttpServletRequest request) {
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
