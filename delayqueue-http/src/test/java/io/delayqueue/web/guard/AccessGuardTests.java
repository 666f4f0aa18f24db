package io.delayqueue.web.guard;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
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
    private static final String ADMIN = "the-admins-token";

    private final AccessGuard guard = new AccessGuard(
            List.of(PRODUCER, NEXT_PRODUCER), List.of(CONSUMER), List.of(ADMIN), false, (request, authority) -> true);
    private final MockHttpServletRequest request = new MockHttpServletRequest();
    private final MockHttpServletResponse response = new MockHttpServletResponse();

    @ParameterizedTest
    @CsvSource({
        "producer-token-1, PRODUCE, 0",
        "producer-token-2, PRODUCE, 0",
        "producer-token-1, CONSUME, 403",
        "producer-token-1, ADMIN, 403",
        "consumer-token-1, CONSUME, 0",
        "consumer-token-1, PRODUCE, 403",
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
        AccessGuard open = withoutTokens(true);

        assertThat(open.check(request, response, Permission.ADMIN)).isNull();
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
        AccessGuard guard = withoutTokens(false);
        request.setUserPrincipal(() -> "somebody");
        if (role != null) {
            request.addUserRole(role);
        }

        AccessDenied denied = guard.check(request, response, needed);

        assertThat(denied == null ? 0 : denied.status()).isEqualTo(status);
    }

    @Test
    void withoutTokensUnauthenticatedClientIsRejected() {
        request.addUserRole("delayqueue:admin");

        assertThat(withoutTokens(false).check(request, response, Permission.PRODUCE))
                .isNotNull()
                .extracting(AccessDenied::status)
                .isEqualTo(403);
    }

    @Test
    void clientsAreIdentifiedByTokenOrName() {
        assertThat(guard.client(request)).isEmpty();
        request.setUserPrincipal(() -> PRODUCER);
        String user = withoutTokens(false).client(request);
        assertThat(guard.client(request)).isEmpty();
        request.addHeader("Authorization", "Bearer " + PRODUCER);
        String producer = guard.client(request);
        MockHttpServletRequest same = new MockHttpServletRequest();
        same.addHeader("Authorization", basic("anybody:" + PRODUCER));
        MockHttpServletRequest next = new MockHttpServletRequest();
        next.addHeader("Authorization", "Bearer " + NEXT_PRODUCER);

        assertThat(guard.client(same)).isEqualTo(producer);
        assertThat(List.of(producer, guard.client(next), user))
                .doesNotHaveDuplicates()
                .allMatch(client -> client.matches("[0-9a-f]{64}"));
    }

    private static AccessGuard withoutTokens(boolean unsecured) {
        return new AccessGuard(List.of(), List.of(), List.of(), unsecured, HttpServletRequest::isUserInRole);
    }

    @ParameterizedTest
    @CsvSource({
        "cross-site, , 403",
        "same-site, , 403",
        "same-origin, , 0",
        "none, , 0",
        "same-origin, http://elsewhere, 0",
        ", http://elsewhere, 403",
        ", null, 403",
        ", http://here:8080, 0",
        ", HTTPS://HERE:8080, 0",
        ", http://nowhere:8080, 403"
    })
    void crossSiteRequestsAreRejectedWithAnyCredentials(
            @Nullable String fetchSite, @Nullable String origin, int status) {
        request.addHeader("Authorization", "Bearer " + ADMIN);
        request.addHeader("Host", "here:8080");
        if (fetchSite != null) {
            request.addHeader("Sec-Fetch-Site", fetchSite);
        }
        if (origin != null) {
            request.addHeader("Origin", origin);
        }

        assertThat(status(Permission.PRODUCE)).isEqualTo(status);
    }

    private int status(Permission... anyOf) {
        AccessDenied denied = guard.check(request, response, anyOf);
        return denied == null ? 0 : denied.status();
    }

    private static String basic(String pair) {
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    }
}
