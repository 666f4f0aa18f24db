package io.delayqueue.web.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.management.guard.AllowedHosts;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class AccessGuardTests {

    private static final String PRODUCER = "producer-token-1";
    private static final String NEXT_PRODUCER = "producer-token-2";
    private static final String CONSUMER = "consumer-token-1";
    private static final String BOTH = "token-of-a-client-with-both";
    private static final String ADMIN = "the-admins-token";
    private static final AllowedHosts HOSTS = new AllowedHosts(Set.of());

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    private final AccessGuard guard = new AccessGuard(
            List.of(
                    client("producer", List.of(PRODUCER, NEXT_PRODUCER), Permission.PRODUCE),
                    client("consumer", List.of(CONSUMER), Permission.CONSUME),
                    client("both", List.of(BOTH), Permission.PRODUCE, Permission.CONSUME),
                    client("admin", List.of(ADMIN), Permission.ADMIN)),
            false,
            (request, authority) -> true,
            HOSTS);
    private final MockHttpServletRequest request = new MockHttpServletRequest();
    private final MockHttpServletResponse response = new MockHttpServletResponse();

    private Client client(String name, List<String> tokens, Permission... permissions) {
        return new Client(name, tokens, Set.of(permissions), List.of("*"), null, null, now::get);
    }

    @ParameterizedTest
    @CsvSource({
        "producer-token-1, PRODUCE, 0",
        "producer-token-2, PRODUCE, 0",
        "producer-token-1, CONSUME, 403",
        "producer-token-1, ADMIN, 403",
        "consumer-token-1, CONSUME, 0",
        "consumer-token-1, PRODUCE, 403",
        "token-of-a-client-with-both, PRODUCE, 0",
        "token-of-a-client-with-both, CONSUME, 0",
        "token-of-a-client-with-both, ADMIN, 403",
        "the-admins-token, PRODUCE, 0",
        "the-admins-token, CONSUME, 0",
        "the-admins-token, ADMIN, 0",
        "producer-token-3, PRODUCE, 401",
        "producer-token-, PRODUCE, 401",
        "Producer-token-1, PRODUCE, 401"
    })
    void tokenGrantsItsPermissions(String token, Permission needed, int status) {
        request.addHeader("Authorization", "Bearer " + token);

        assertThat(status(needed)).isEqualTo(status);
    }

    @Test
    void oneOfThePermissionsIsSufficient() {
        request.addHeader("Authorization", "Bearer " + CONSUMER);

        assertThat(status(Permission.PRODUCE, Permission.CONSUME)).isZero();
    }

    @Test
    void tokenIsAcceptedAsAPassword() {
        request.addHeader("Authorization", basic("anybody:" + PRODUCER));

        assertThat(status(Permission.PRODUCE)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Bearer", "Bearer ", "Basic", "Basic !", "Basic eA==", "Digest producer-token-1", "x"})
    void invalidTokenIsChallenged(String authorization) {
        request.addHeader("Authorization", authorization);

        assertThat(status(Permission.PRODUCE)).isEqualTo(401);
        assertThat(response.getHeader("WWW-Authenticate")).startsWith("Bearer");
    }

    @Test
    void missingTokenIsChallenged() {
        assertThat(status(Permission.PRODUCE)).isEqualTo(401);
    }

    @Test
    void unsecuredAuthorizesEveryClient() {
        assertThat(withoutClients(true)
                        .authorize(request, response, "purge", Permission.ADMIN)
                        .name())
                .isEqualTo("http");
    }

    /** Its page has no credentials. */
    @Test
    void unsecuredRejectsAHostOfAnotherSite() {
        request.setServerName("evil.example");

        assertThatThrownBy(() -> withoutClients(true).authorize(request, response, "list", Permission.ADMIN))
                .isInstanceOfSatisfying(
                        AccessDeniedException.class,
                        denied -> assertThat(denied.rejection()).isEqualTo(Rejection.FORBIDDEN))
                .hasMessage(AllowedHosts.SENTENCE);
        request.setUserPrincipal(() -> "somebody");
        assertThat(status(withoutClients(true), Permission.ADMIN)).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        ", PRODUCE, 403",
        "delayqueue:produce, PRODUCE, 0",
        "delayqueue:produce, CONSUME, 403",
        "delayqueue:produce, ADMIN, 403",
        "delayqueue:consume, CONSUME, 0",
        "delayqueue:admin, PRODUCE, 0",
        "delayqueue:admin, ADMIN, 0",
        "produce, PRODUCE, 403"
    })
    void withoutTokensAnAuthenticatedClientNeedsTheAuthority(@Nullable String role, Permission needed, int status) {
        AccessGuard guard = withoutClients(false);
        request.setUserPrincipal(() -> "somebody");
        if (role != null) {
            request.addUserRole(role);
        }

        assertThat(status(guard, needed)).isEqualTo(status);
    }

    @Test
    void withoutTokensUnauthenticatedClientIsRejected() {
        request.addUserRole("delayqueue:admin");

        assertThat(status(withoutClients(false), Permission.PRODUCE)).isEqualTo(403);
    }

    @Test
    void clientsAreIdentifiedByTheirNames() {
        request.setUserPrincipal(() -> "producer");
        Client user = withoutClients(true).authorize(request, response, "send", Permission.PRODUCE);
        Client unknown =
                withoutClients(true).authorize(new MockHttpServletRequest(), response, "send", Permission.PRODUCE);

        assertThat(user.name()).isEqualTo("producer");
        assertThat(user.tag()).isEqualTo("none");
        assertThat(unknown.identity()).isEmpty();
        assertThat(with(NEXT_PRODUCER).identity()).isEqualTo(with(PRODUCER).identity());
        assertThat(with(PRODUCER).tag()).isEqualTo("producer");
        assertThat(List.of(with(PRODUCER).identity(), with(CONSUMER).identity(), user.identity()))
                .doesNotHaveDuplicates()
                .allMatch(identity -> identity.matches("[0-9a-f]{64}"));
    }

    private Client with(String token) {
        MockHttpServletRequest any = new MockHttpServletRequest();
        any.addHeader("Authorization", "Bearer " + token);
        return guard.authorize(any, response, "describe", Permission.PRODUCE, Permission.CONSUME);
    }

    @Test
    void factsAreKeptInTheRequest() {
        request.addHeader("Authorization", "Bearer " + CONSUMER);

        status(Permission.PRODUCE);

        assertThat(RequestFacts.operation(request)).isEqualTo("operation");
        assertThat(RequestFacts.client(request)).extracting(Client::name).isEqualTo("consumer");
        assertThat(RequestFacts.operation(new MockHttpServletRequest())).isEqualTo("none");
        assertThat(RequestFacts.client(new MockHttpServletRequest())).isNull();
    }

    @Test
    void requestsBeyondTheRateAreRejectedForEachClient() {
        AccessGuard limited = new AccessGuard(
                List.of(
                        new Client(
                                "shop", List.of(PRODUCER), Set.of(Permission.PRODUCE), List.of("*"), 2, null, now::get),
                        client("admin", List.of(ADMIN), Permission.ADMIN)),
                false,
                (request, authority) -> true,
                HOSTS);
        request.addHeader("Authorization", "Bearer " + PRODUCER);

        assertThat(status(limited, Permission.PRODUCE)).isZero();
        assertThat(status(limited, Permission.CONSUME)).isEqualTo(403);
        assertThat(response.getHeader("Retry-After")).isNull();
        assertThatThrownBy(() -> limited.authorize(request, response, "send", Permission.PRODUCE))
                .isInstanceOfSatisfying(
                        AccessDeniedException.class,
                        denied -> assertThat(denied.rejection()).isEqualTo(Rejection.TOO_MANY_REQUESTS))
                .hasMessageContaining("delayqueue.http.clients.shop.requests-per-second");
        assertThat(response.getHeader("Retry-After")).isEqualTo("1");
        MockHttpServletRequest ofAdmin = new MockHttpServletRequest();
        ofAdmin.addHeader("Authorization", "Bearer " + ADMIN);
        assertThat(limited.authorize(ofAdmin, response, "send", Permission.PRODUCE))
                .isNotNull();
        now.addAndGet(500_000_000);
        assertThat(status(limited, Permission.PRODUCE)).isZero();
        assertThat(status(limited, Permission.PRODUCE)).isEqualTo(429);
    }

    private static AccessGuard withoutClients(boolean unsecured) {
        return new AccessGuard(List.of(), unsecured, HttpServletRequest::isUserInRole, HOSTS);
    }

    @Test
    void crossSiteRequestsAreRejectedWithAnyCredentials() {
        request.addHeader("Authorization", "Bearer " + ADMIN);
        assertThat(status(Permission.PRODUCE)).isZero();

        request.addHeader("Sec-Fetch-Site", "cross-site");

        assertThat(status(Permission.PRODUCE)).isEqualTo(403);
    }

    private int status(Permission... anyOf) {
        return status(guard, anyOf);
    }

    private int status(AccessGuard guard, Permission... anyOf) {
        try {
            guard.authorize(request, response, "operation", anyOf);
            return 0;
        } catch (AccessDeniedException denied) {
            return denied.rejection().status();
        }
    }

    private static String basic(String pair) {
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    }
}
