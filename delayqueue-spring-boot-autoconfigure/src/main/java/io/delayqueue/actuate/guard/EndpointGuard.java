package io.delayqueue.actuate.guard;

import io.delayqueue.management.guard.Rejection;
import io.delayqueue.management.guard.RequestPolicy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMapper;
import org.springframework.core.Ordered;

/** The {@link RequestPolicy} at the paths of the queue's endpoints, and what responses there have in common. Thread-safe. */
public final class EndpointGuard {

    /**
     * Where a filter runs. Two are necessary: actions of other sites are rejected, and the headers of responses set, before
     * the application's security reads or rejects a request. The host of a request counts only without authentication.
     */
    public enum Position {

        /** After the filter of forwarded headers. */
        BEFORE_SECURITY(Ordered.HIGHEST_PRECEDENCE + 100),

        /** After the filters of Spring Security. */
        AFTER_SECURITY(Ordered.LOWEST_PRECEDENCE);

        private final int order;

        Position(int order) {
            this.order = order;
        }

        int order() {
            return order;
        }
    }

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

    static final String CONTENT_TYPE = "application/json";

    private final RequestPolicy policy;

    /** Each begins with a slash and does not end with one. */
    private final List<String> paths;

    /**
     * Creates a guard of endpoints, whether they are exposed or not.
     *
     * @param basePath the base path of all web endpoints; empty, or with a leading slash
     * @param ids the ids of the endpoints
     */
    public EndpointGuard(RequestPolicy policy, String basePath, List<PathMapper> mappers, String... ids) {
        this.policy = policy;
        this.paths = Stream.of(ids)
                .map(id -> basePath + "/" + PathMapper.getRootPath(mappers, EndpointId.of(id)))
                .toList();
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

    RequestPolicy policy() {
        return policy;
    }

    /** Explains a status with which the framework rejects a request; null if there is no explanation. */
    static @Nullable Rejection explain(String method, int status) {
        boolean post = method.equals("POST");
        return switch (status) {
            case 400 ->
                post
                        ? new Rejection(
                                status,
                                "The body of an action must be a JSON object of strings and numbers, such as"
                                        + " {\"topic\": \"orders\", \"id\": \"4711\"}.")
                        : null;
            case 405 ->
                new Rejection(
                        status,
                        post
                                ? "Actions are disabled: set management.endpoint.delayqueue.access to unrestricted."
                                : "Views require GET, actions require POST.");
            case 415 -> RequestPolicy.NOT_JSON;
            default -> null;
        };
    }

    /** Returns the body of the response to a rejected request. */
    static byte[] body(Rejection rejection) {
        return ("{\"detail\":\"" + rejection.sentence().replace("\"", "\\\"") + "\"}").getBytes(StandardCharsets.UTF_8);
    }
}
