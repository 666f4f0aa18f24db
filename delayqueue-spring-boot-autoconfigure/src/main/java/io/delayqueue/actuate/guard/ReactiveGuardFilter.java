package io.delayqueue.actuate.guard;

import io.delayqueue.actuate.guard.EndpointGuard.Position;
import io.delayqueue.management.guard.Principals;
import io.delayqueue.management.guard.Rejection;
import io.delayqueue.management.guard.WebRequest;
import java.net.URI;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.PathContainer.PathSegment;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.SslInfo;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Applies the {@link EndpointGuard} on WebFlux. */
public final class ReactiveGuardFilter implements WebFilter, Ordered {

    private final EndpointGuard guard;
    private final Position position;

    /** Creates the filter of a position. */
    public ReactiveGuardFilter(EndpointGuard guard, Position position) {
        this.guard = guard;
        this.position = position;
    }

    @Override
    public int getOrder() {
        return position.order();
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        ServerHttpRequest request = exchange.getRequest();
        if (!guard.guards(path(request))) {
            return chain.filter(exchange);
        }
        WebRequest facts = webRequest(request);
        if (position == Position.AFTER_SECURITY) {
            return exchange.getPrincipal()
                    .filter(Principals::isAuthenticated)
                    .hasElement()
                    .flatMap(authenticated -> proceed(guard.policy().checkHost(facts, authenticated), exchange, chain));
        }
        ServerHttpResponse response = exchange.getResponse();
        EndpointGuard.HEADERS.forEach(response.getHeaders()::set);
        return proceed(guard.policy().checkAction(facts), exchange, chain)
                .onErrorResume(
                        ResponseStatusException.class,
                        failure -> explain(request.getMethod().name(), response, failure));
    }

    private static Mono<Void> proceed(@Nullable Rejection rejection, ServerWebExchange exchange, WebFilterChain chain) {
        return rejection == null ? chain.filter(exchange) : reject(exchange.getResponse(), rejection);
    }

    private static Mono<Void> explain(String method, ServerHttpResponse response, ResponseStatusException failure) {
        Rejection explanation =
                EndpointGuard.explain(method, failure.getStatusCode().value());
        return explanation == null || response.isCommitted() ? Mono.error(failure) : reject(response, explanation);
    }

    private static Mono<Void> reject(ServerHttpResponse response, Rejection rejection) {
        response.setRawStatusCode(rejection.status());
        response.getHeaders().set(HttpHeaders.CONTENT_TYPE, EndpointGuard.CONTENT_TYPE);
        return response.writeWith(Mono.just(response.bufferFactory().wrap(EndpointGuard.body(rejection))));
    }

    /** Returns the decoded path without path parameters, which is the form that Spring matches with handler paths. */
    private static String path(ServerHttpRequest request) {
        return request.getPath().pathWithinApplication().elements().stream()
                .filter(PathSegment.class::isInstance)
                .map(element -> "/" + ((PathSegment) element).valueToMatch())
                .collect(Collectors.joining());
    }

    private static WebRequest webRequest(ServerHttpRequest request) {
        URI uri = request.getURI();
        SslInfo tls = request.getSslInfo(); // without a session if only a forwarded header says so
        return new WebRequest(
                request.getMethod().name(),
                uri.getScheme() + "://" + uri.getRawAuthority(),
                tls != null && tls.getSessionId() != null,
                uri.getRawQuery(),
                name -> header(request, name));
    }

    private static @Nullable String header(ServerHttpRequest request, String name) {
        List<String> values = request.getHeaders().get(name);
        return values == null ? null : String.join(",", values);
    }
}
