package io.delayqueue.actuate.guard;

import org.springframework.core.Ordered;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Rejects requests of pages of other sites by their host on WebFlux, unless they are authenticated. */
public final class ReactiveHostFilter implements WebFilter, Ordered {

    private final RequestGuard guard;

    /** Creates the filter. */
    public ReactiveHostFilter(RequestGuard guard) {
        this.guard = guard;
    }

    /** Returns an order after the filters of Spring Security. */
    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        ServerHttpRequest request = exchange.getRequest();
        if (!guard.guards(ReactiveRequestFilter.path(request))
                || !guard.rejectsHostOf(ReactiveRequestFilter.webRequest(request))) {
            return chain.filter(exchange);
        }
        return exchange.getPrincipal()
                .hasElement()
                .flatMap(authenticated -> authenticated
                        ? chain.filter(exchange)
                        : ReactiveRequestFilter.reject(exchange.getResponse(), RejectionResponse.UNKNOWN_HOST));
    }
}
