package io.delayqueue.web.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.management.guard.Client;
import io.delayqueue.management.guard.Permission;
import io.delayqueue.management.guard.RequestPolicy;
import jakarta.servlet.FilterChain;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

@ExtendWith(OutputCaptureExtension.class)
class RejectedTokenFilterTests {

    private static final String TOKEN = "0123456789abcdef";

    private final AccessGuard guard = new AccessGuard(
            new RequestPolicy(
                    Set.of(),
                    List.of(new Client(
                            "shop", List.of(TOKEN), Set.of(Permission.PRODUCE), List.of("*"), null, null, () -> 0)),
                    false),
            (request, authority) -> true);
    private final RejectedTokenFilter filter = new RejectedTokenFilter(guard, List.of("/dq/**", "/queue/**"));

    private void request(String token, FilterChain chain) throws Exception {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.addHeader("Authorization", "Bearer " + token);
        filter.doFilter(request, new MockHttpServletResponse(), chain);
    }

    private static FilterChain responding(int status) {
        return (request, response) -> ((HttpServletResponse) response).sendError(status);
    }

    @Test
    void rejectionOfAKnownTokenIsLoggedOnceWithTheChainThatIsMissing(CapturedOutput output) throws Exception {
        request(TOKEN, responding(401));
        request(TOKEN, responding(403));

        assertThat(output.getOut())
                .containsOnlyOnce(" WARN ")
                .containsOnlyOnce(
                        "rejected a request of client 'shop' with status 401 before it reached the HTTP interface")
                .contains("securityMatcher(\"/dq/**\", \"/queue/**\")")
                .doesNotContain(TOKEN);
    }

    @Test
    void unknownTokensAreNotLogged(CapturedOutput output) throws Exception {
        request("fedcba9876543210", responding(401));
        request("", responding(403));

        assertThat(output.getOut()).isEmpty();
    }

    @Test
    void rejectionsOfTheInterfaceAreNotLogged(CapturedOutput output) throws Exception {
        request(TOKEN, responding(200));
        request(TOKEN, (request, response) -> {
            RequestFacts.operation((HttpServletRequest) request, "purge");
            responding(403).doFilter(request, response);
        });

        assertThat(output.getOut()).isEmpty();
    }
}
