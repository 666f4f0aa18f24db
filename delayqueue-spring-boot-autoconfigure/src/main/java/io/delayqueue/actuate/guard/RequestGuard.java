package io.delayqueue.actuate.guard;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMapper;

/**
 * Decides which requests to the queue's endpoints are rejected. Thread-safe.
 *
 * <p>Actions require a JSON body, which a form of a foreign page cannot send. As a second protection, the origin of the
 * page is checked. Requests without an origin do not come from a page of another site; the application's security
 * decides about them. {@link AllowedHosts} contain the hosts of pages that have the same origin as the server.
 */
public final class RequestGuard {

    /** Headers of each response. Pages may load only resources of the same origin and must not be framed. */
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

    private static final Set<String> SAFE_METHODS = Set.of("GET", "HEAD", "OPTIONS");

    /** Each begins with a slash and does not end with one. */
    private final List<String> paths;

    private final AllowedHosts hosts;

    /**
     * Creates a guard of endpoints, whether they are exposed or not.
     *
     * @param hosts hosts of requests without authentication
     * @param basePath the base path of all web endpoints; empty, or with a leading slash
     * @param ids the ids of the endpoints
     */
    public RequestGuard(AllowedHosts hosts, String basePath, List<PathMapper> mappers, String... ids) {
        this.hosts = hosts;
        this.paths = Stream.of(ids)
                .map(id -> basePath + "/" + PathMapper.getRootPath(mappers, EndpointId.of(id)))
                .toList();
    }

    AllowedHosts hosts() {
        return hosts;
    }

    /**
     * Whether a request is for one of the endpoints.
     *
     * @param path the decoded path without path parameters
     */
    boolean guards(String path) {
        return paths.stream()
                .anyMatch(own ->
                        path.startsWith(own) && (path.length() == own.length() || path.charAt(own.length()) == '/'));
    }

    /**
     * Checks a request to one of the endpoints.
     *
     * @param server the scheme and authority of the request's URL
     * @param query the query as sent
     * @param headers returns a header of the request, several values joined by commas
     * @return null if the request is permitted
     */
    @Nullable
    RejectionResponse check(
            String method, String server, @Nullable String query, Function<String, @Nullable String> headers) {
        if (isCrossSiteAction(method, server, headers.apply("Origin"), headers.apply("Sec-Fetch-Site"))) {
            return RejectionResponse.CROSS_SITE;
        }
        if (lacksJsonBody(method, headers.apply("Content-Type"))) {
            return RejectionResponse.NOT_JSON;
        }
        return hasQueryParameters(method, query) ? RejectionResponse.QUERY_PARAMETERS : null;
    }

    /**
     * Whether a request comes from a page of another site and may change something.
     *
     * @param server the scheme and authority of the request's URL
     * @param origin the header Origin, several values joined by commas
     * @param fetchSite the header Sec-Fetch-Site
     */
    boolean isCrossSiteAction(String method, String server, @Nullable String origin, @Nullable String fetchSite) {
        if (SAFE_METHODS.contains(method)) {
            return false;
        }
        return "cross-site".equalsIgnoreCase(fetchSite) || (origin != null && !mayAct(origin, server));
    }

    /**
     * Whether an action lacks a JSON content type, as a request of an HTML form does. The framework also rejects such
     * requests, but some servers fail on a multipart body before the framework reads it.
     *
     * @param contentType the header Content-Type
     */
    static boolean lacksJsonBody(String method, @Nullable String contentType) {
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
     * Whether an action has parameters in the query. They would override the parameters of the body. Names with a
     * leading underscore are permitted for other purposes, such as Spring Security's {@code _csrf}.
     *
     * @param query the query as sent
     */
    private static boolean hasQueryParameters(String method, @Nullable String query) {
        return method.equals("POST")
                && query != null
                && Stream.of(query.split("&")).anyMatch(each -> !each.isEmpty() && !each.startsWith("_"));
    }

    private static boolean mayAct(String origin, String server) {
        WebOrigin page = WebOrigin.parse(origin);
        WebOrigin own = WebOrigin.parse(server);
        return page != null && own != null && page.mayActOn(own);
    }
}
