package io.delayqueue.actuate.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.actuate.guard.EndpointGuard.Position;
import io.delayqueue.management.guard.RequestPolicy;
import java.net.URI;
import java.security.Principal;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.AuthorityUtils;
import reactor.core.publisher.Mono;

class ReactiveGuardFilterTests {

    private final EndpointGuard guard =
            new EndpointGuard(new RequestPolicy(Set.of(), List.of(), false), "/ops", List.of(), "queue");

    @ParameterizedTest
    @CsvSource({
        "/ops/queue, true",
        "/ops/queue/cancel, true",
        "/ops/queue;a=b/cancel, true",
        "/ops;a=b/queue, true",
        "/%6fps/%71ueue/cancel, true",
        "/ops//queue, true",
        "/ops/queues, false",
        "/ops, false",
        "/, false"
    })
    void pathIsMatchedAsForHandlers(String path, boolean guarded) {
        MockServerWebExchange exchange = MockServerWebExchange.from(
                MockServerHttpRequest.method(HttpMethod.GET, URI.create("http://localhost" + path)));

        new ReactiveGuardFilter(guard, Position.BEFORE_SECURITY)
                .filter(exchange, passed -> Mono.empty())
                .block();

        assertThat(exchange.getResponse().getHeaders().containsHeader("Content-Security-Policy"))
                .isEqualTo(guarded);
    }

    @ParameterizedTest
    @MethodSource("principals")
    void onlyAuthenticatedUsersMayUseAForeignHost(@Nullable Principal principal, boolean permitted) {
        MockServerWebExchange exchange = MockServerWebExchange.builder(
                        MockServerHttpRequest.get("http://evil.example/ops/queue"))
                .principal(principal)
                .build();

        new ReactiveGuardFilter(guard, Position.AFTER_SECURITY)
                .filter(exchange, passed -> Mono.empty())
                .block();

        assertThat(exchange.getResponse().getStatusCode()).isEqualTo(permitted ? null : HttpStatus.FORBIDDEN);
    }

    static List<Arguments> principals() {
        List<GrantedAuthority> role = AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS");
        return List.of(
                Arguments.of(null, false),
                Arguments.of(new AnonymousAuthenticationToken("key", "anonymousUser", role), false),
                Arguments.of(new TestingAuthenticationToken("user", "password"), false),
                Arguments.of(new TestingAuthenticationToken("user", "password", role), true),
                Arguments.of((Principal) () -> "user of another framework", true));
    }
}
