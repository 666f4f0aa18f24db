package io.delayqueue.actuate.guard;

import java.net.URI;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.PathContainer.PathSegment;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
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

    /** Before the filters of Spring Security. */
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
        URI uri = request.getURI();
        if (guard.rejects(
                request.getMethod().name(),
                uri.getScheme() + "://" + uri.getRawAuthority(),
                header(request, RequestGuard.ORIGIN),
                header(request, RequestGuard.FETCH_SITE))) {
            return reject(response, Explanation.FORBIDDEN, Explanation.ofForeignPage());
        }
        if (RequestGuard.mayBeOfAForm(request.getMethod().name(), header(request, HttpHeaders.CONTENT_TYPE))) {
            return reject(response, Explanation.UNSUPPORTED_MEDIA_TYPE, Explanation.ofForm());
        }
        if (RequestGuard.hasParametersOutsideTheBody(request.getMethod().name(), uri.getRawQuery())) {
            return reject(response, Explanation.BAD_REQUEST, Explanation.ofQuery());
        }
        return chain.filter(exchange)
                .onErrorResume(ResponseStatusException.class, rejection -> explain(exchange, rejection));
    }

    private static Mono<Void> explain(ServerWebExchange exchange, ResponseStatusException rejection) {
        ServerHttpResponse response = exchange.getResponse();
        int status = rejection.getStatusCode().value();
        byte[] explanation =
                Explanation.ofStatus(exchange.getRequest().getMethod().name(), status);
        if (explanation == null || response.isCommitted()) {
            return Mono.error(rejection);
        }
        return reject(response, status, explanation);
    }

    private static Mono<Void> reject(ServerHttpResponse response, int status, byte[] explanation) {
        response.setRawStatusCode(status);
        response.getHeaders().set(HttpHeaders.CONTENT_TYPE, Explanation.CONTENT_TYPE);
        return response.writeWith(Mono.just(response.bufferFactory().wrap(explanation)));
    }

    /** The decoded path without parameters, as it is matched with the paths of handlers. */
    private static String path(ServerHttpRequest request) {
        return request.getPath().pathWithinApplication().elements().stream()
                .filter(PathSegment.class::isInstance)
                .map(element -> "/" + ((PathSegment) element).valueToMatch())
                .collect(Collectors.joining());
    }

    private static @Nullable String header(ServerHttpRequest request, String name) {
        List<String> values = request.getHeaders().get(name);
        return values == null ? null : String.join(",", values);
    }
}
