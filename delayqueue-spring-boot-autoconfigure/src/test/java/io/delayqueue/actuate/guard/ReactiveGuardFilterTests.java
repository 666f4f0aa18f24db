package io.delayqueue.actuate.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.actuate.guard.EndpointGuard.Position;
import io.delayqueue.management.guard.RequestPolicy;
import java.net.URI;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.HttpMethod;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import reactor.core.publisher.Mono;

class ReactiveGuardFilterTests {

    private final ReactiveGuardFilter filter = new ReactiveGuardFilter(
            new EndpointGuard(new RequestPolicy(Set.of(), List.of(), false), "/ops", List.of(), "queue"),
            Position.BEFORE_SECURITY);

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

        filter.filter(exchange, passed -> Mono.empty()).block();

        assertThat(exchange.getResponse().getHeaders().containsHeader("Content-Security-Policy"))
                .isEqualTo(guarded);
    }
}
