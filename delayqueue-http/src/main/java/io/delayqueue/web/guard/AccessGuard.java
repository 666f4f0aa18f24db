package io.delayqueue.web.guard;

import io.delayqueue.management.guard.AccessDeniedException;
import io.delayqueue.management.guard.Client;
import io.delayqueue.management.guard.Permission;
import io.delayqueue.management.guard.Rejection;
import io.delayqueue.management.guard.RequestPolicy;
import io.delayqueue.management.guard.ServletWebRequests;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Objects;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/** Applies the {@link RequestPolicy} to calls of the HTTP interfaces. Thread-safe. */
public final class AccessGuard {

    private static final String RETRY_AFTER = "1"; // the rate limit permits at least one request per second

    private final RequestPolicy policy;
    private final BiPredicate<HttpServletRequest, String> granted;

    /**
     * Creates a guard.
     *
     * @param granted tests whether the application's security granted an authority to the client of a request; called
     *     for authenticated clients only
     */
    public AccessGuard(RequestPolicy policy, BiPredicate<HttpServletRequest, String> granted) {
        this.policy = policy;
        this.granted = granted;
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
        Client client = policy.clientOf(request.getHeader("Authorization"), request.getUserPrincipal());
        if (client != null) {
            RequestFacts.client(request, client);
        }
        Rejection rejection = policy.checkCall(
                ServletWebRequests.of(request), client, authority -> granted.test(request, authority), anyOf);
        if (rejection == null) {
            return Objects.requireNonNull(client);
        }
        switch (RejectionReason.of(rejection)) {
            case UNAUTHORIZED -> response.setHeader("WWW-Authenticate", "Bearer realm=\"delayqueue\"");
            case TOO_MANY_REQUESTS -> response.setHeader("Retry-After", RETRY_AFTER);
            default -> {}
        }
        throw new AccessDeniedException(rejection);
    }

    /** Returns the client of the request's token; null if it has none or an unknown one. */
    @Nullable
    Client clientOf(HttpServletRequest request) {
        return policy.clientWithToken(request.getHeader("Authorization"));
    }
}
