package io.delayqueue.actuate.guard;

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

/** Applies the {@link RequestGuard} on WebFlux. */
public final class ReactiveRequestFilter implements WebFilter, Ordered {

    private final RequestGuard guard;

    /** Creates the filter. */
    public ReactiveRequestFilter(RequestGuard guard) {
        this.guard = guard;
    }

    /** Returns an order before the filters of Spring Security. */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE + 100;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        ServerHttpRequest request = exchange.getRequest();
        if (!guard.guards(path(request))) {
            return chain.filter(exchange);
        }
        ServerHttpResponse response = exchange.getResponse();
        RequestGuard.HEADERS.forEach(response.getHeaders()::set);
        String method = request.getMethod().name();
        RejectionResponse rejection = guard.check(webRequest(request));
        return rejection == null
                ? chain.filter(exchange)
                        .onErrorResume(ResponseStatusException.class, failure -> explain(method, response, failure))
                : reject(response, rejection);
    }

    private static Mono<Void> explain(String method, ServerHttpResponse response, ResponseStatusException failure) {
        RejectionResponse explanation =
                RejectionResponse.ofStatus(method, failure.getStatusCode().value());
        return explanation == null || response.isCommitted() ? Mono.error(failure) : reject(response, explanation);
    }

    static Mono<Void> reject(ServerHttpResponse response, RejectionResponse rejection) {
        response.setRawStatusCode(rejection.status());
        response.getHeaders().set(HttpHeaders.CONTENT_TYPE, RejectionResponse.CONTENT_TYPE);
        return response.writeWith(Mono.just(response.bufferFactory().wrap(rejection.body())));
    }

    /** Returns the decoded path without path parameters, which is the form that Spring matches with handler paths. */
    static String path(ServerHttpRequest request) {
        return request.getPath().pathWithinApplication().elements().stream()
                .filter(PathSegment.class::isInstance)
                .map(element -> "/" + ((PathSegment) element).valueToMatch())
                .collect(Collectors.joining());
    }

    static WebRequest webRequest(ServerHttpRequest request) {
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
