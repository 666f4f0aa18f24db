package io.delayqueue.web.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.management.guard.AccessDeniedException;
import io.delayqueue.management.guard.Client;
import io.delayqueue.management.guard.Permission;
import io.delayqueue.management.guard.RequestPolicy;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class AccessGuardTests {

    private static final String TOKEN = "producer-token-1";

    private final AccessGuard guard = new AccessGuard(
            new RequestPolicy(
                    Set.of(),
                    List.of(new Client(
                            "shop", List.of(TOKEN), Set.of(Permission.PRODUCE), List.of("*"), 2, null, () -> 0)),
                    false),
            (request, authority) -> true);
    private final MockHttpServletRequest request = new MockHttpServletRequest();
    private final MockHttpServletResponse response = new MockHttpServletResponse();

    private void rejected(int status, String sentence) {
        assertThatThrownBy(() -> guard.authorize(request, response, "send", Permission.PRODUCE))
                .isInstanceOfSatisfying(
                        AccessDeniedException.class,
                        denied -> assertThat(denied.rejection().status()).isEqualTo(status))
                .hasMessageContaining(sentence);
    }

    @Test
    void operationAndClientAreKeptInTheRequest() {
        request.addHeader("Authorization", "Bearer " + TOKEN);

        Client client = guard.authorize(request, response, "send", Permission.PRODUCE);

        assertThat(RequestFacts.operation(request)).isEqualTo("send");
        assertThat(RequestFacts.client(request)).isSameAs(client);
        assertThat(RequestFacts.operation(new MockHttpServletRequest())).isEqualTo("none");
        assertThat(RequestFacts.client(new MockHttpServletRequest())).isNull();
    }

    @Test
    void unknownTokenIsChallenged() {
        rejected(401, "'Authorization: Bearer <token>'");

        assertThat(response.getHeader("WWW-Authenticate")).startsWith("Bearer");
        assertThat(RequestFacts.operation(request)).isEqualTo("send");
        assertThat(RequestFacts.client(request)).isNull();
    }

    @Test
    void clientIsAskedToRetryBeyondItsRate() {
        request.addHeader("Authorization", "Bearer " + TOKEN);
        guard.authorize(request, response, "send", Permission.PRODUCE);
        guard.authorize(request, response, "send", Permission.PRODUCE);
        assertThat(response.getHeaderNames()).isEmpty();

        rejected(429, "delayqueue.http.clients.shop.requests-per-second");

        assertThat(response.getHeader("Retry-After")).isEqualTo("1");
    }

    /** Meters count it for the client. */
    @Test
    void rejectedCrossSiteRequestHasItsClient() {
        request.addHeader("Authorization", "Bearer " + TOKEN);
        request.addHeader("Sec-Fetch-Site", "cross-site");

        rejected(403, "Cross-site");

        assertThat(RequestFacts.client(request)).extracting(Client::name).isEqualTo("shop");
    }
}
