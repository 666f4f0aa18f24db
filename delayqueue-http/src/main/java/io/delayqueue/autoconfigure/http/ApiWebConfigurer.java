package io.delayqueue.autoconfigure.http;

import io.delayqueue.web.api.ApiSettings;
import io.delayqueue.web.api.RequestReader;
import io.delayqueue.web.api.ResponseReturnValueHandler;
import io.delayqueue.web.guard.AccessGuard;
import io.delayqueue.web.waiting.RequestBodies;
import java.util.List;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Registers the argument resolver and return value handler of the HTTP API's controllers in Spring MVC. */
final class ApiWebConfigurer implements WebMvcConfigurer {

    private final ApiSettings settings;
    private final AccessGuard guard;
    private final RequestBodies bodies;

    ApiWebConfigurer(ApiSettings settings, AccessGuard guard, RequestBodies bodies) {
        this.settings = settings;
        this.guard = guard;
        this.bodies = bodies;
    }

    @Override
    public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
        resolvers.add(new RequestReader(settings, guard, bodies));
    }

    @Override
    public void addReturnValueHandlers(List<HandlerMethodReturnValueHandler> handlers) {
        handlers.add(new ResponseReturnValueHandler());
    }
}
