package io.delayqueue.actuate.guard;

import io.delayqueue.management.guard.AllowedHosts;
import io.delayqueue.management.guard.WebRequest;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMapper;

/**
 * Decides which requests to the queue's endpoints are rejected. Thread-safe.
 *
 * <p>Actions require a JSON body, which a form of a foreign page cannot send. As a second protection, the origin of the
 * page is checked. The application's security decides about requests of programs. {@link AllowedHosts} contain the hosts of pages that have the same origin as the server.
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

    /** Whether an unauthenticated request must be rejected because of its host. */
    boolean rejectsHostOf(WebRequest request) {
        return request.mayBeRebound(hosts);
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
     * @return null if the request is permitted
     */
    @Nullable
    RejectionResponse check(WebRequest request) {
        if (!SAFE_METHODS.contains(request.method()) && request.isCrossSite()) {
            return RejectionResponse.CROSS_SITE;
        }
        if (lacksJsonBody(request.method(), request.header("Content-Type"))) {
            return RejectionResponse.NOT_JSON;
        }
        return hasQueryParameters(request.method(), request.query()) ? RejectionResponse.QUERY_PARAMETERS : null;
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
}
