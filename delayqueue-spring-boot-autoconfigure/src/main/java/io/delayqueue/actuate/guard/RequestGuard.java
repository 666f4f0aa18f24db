package io.delayqueue.actuate.guard;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides about requests to the queue's endpoints. Thread-safe.
 *
 * <p>Changes need a JSON body, which no form of a foreign page can send; that a page's origin is checked as well doesn't
 * leave it to that alone. Whoever sends no origin is no browser, and is the business of the application's security.
 */
public final class RequestGuard {

    static final String ORIGIN = "Origin";
    static final String FETCH_SITE = "Sec-Fetch-Site";

    /** On each answer: nothing but what the endpoints serve themselves may run in, or around, their pages. */
    static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options",
            "nosniff",
            "Referrer-Policy",
            "no-referrer",
            "Cache-Control",
            "no-store");

    private static final Set<String> HARMLESS = Set.of("GET", "HEAD", "OPTIONS");

    private final EndpointPaths paths;

    /** Of the endpoints at some paths. */
    public RequestGuard(EndpointPaths paths) {
        this.paths = paths;
    }

    boolean guards(String path) {
        return paths.contain(path);
    }

    /**
     * Whether a request must not be carried out.
     *
     * @param server scheme and authority by which the server was reached
     * @param origin the header of that name, several joined by commas
     * @param fetchSite the header Sec-Fetch-Site
     */
    boolean refuses(String method, String server, @Nullable String origin, @Nullable String fetchSite) {
        if (HARMLESS.contains(method)) {
            return false;
        }
        return "cross-site".equalsIgnoreCase(fetchSite) || (origin != null && !isOwn(origin, server));
    }

    /**
     * Whether a request is for an action, but has no JSON. The framework refuses it too, but for a body of several parts,
     * which some servers fail at before.
     *
     * @param contentType the header of that name
     */
    static boolean mayBeOfAForm(String method, @Nullable String contentType) {
        if (!method.equals("POST")) {
            return false;
        }
        if (contentType == null) {
            return true;
        }
        int end = contentType.indexOf(';');
        String type =
                (end < 0 ? contentType : contentType.substring(0, end)).strip().toLowerCase(Locale.ROOT);
        return !type.equals("application/json") && !type.endsWith("+json");
    }

    /**
     * Whether a request is for an action, but has parameters in its query, where they would overrule those of the body.
     * Names that begin with an underscore are left to others, as Spring Security's {@code _csrf}.
     *
     * @param query as it was sent
     */
    static boolean hasParametersOutsideTheBody(String method, @Nullable String query) {
        return method.equals("POST")
                && query != null
                && Stream.of(query.split("&")).anyMatch(each -> !each.isEmpty() && !each.startsWith("_"));
    }

    private static boolean isOwn(String origin, String server) {
        Site page = Site.parse(origin);
        Site own = Site.parse(server);
        return page != null && own != null && page.isSameAs(own);
    }
}
