package io.delayqueue.autoconfigure.endpoint;

import io.delayqueue.actuate.DelayQueueEndpoint;
import io.delayqueue.actuate.dashboard.DelayQueueDashboardEndpoint;
import io.delayqueue.actuate.guard.ReactiveHostFilter;
import io.delayqueue.actuate.guard.ReactiveRequestFilter;
import io.delayqueue.actuate.guard.RequestGuard;
import io.delayqueue.actuate.guard.ServletHostFilter;
import io.delayqueue.actuate.guard.ServletRequestFilter;
import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.management.guard.AllowedHosts;
import jakarta.servlet.http.HttpFilter;
import java.util.Set;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.endpoint.web.PathMapper;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.server.WebFilter;

/** Registers the request filter of the queue's endpoints in the context of the server that serves them. */
@ManagementContextConfiguration(proxyBeanMethods = false)
@Conditional(OnQueueEndpoint.class)
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
final class EndpointGuardConfiguration {

    private static RequestGuard guard(
            ObjectProvider<DelayQueueProperties> own,
            WebEndpointProperties properties,
            ObjectProvider<PathMapper> mappers) {
        DelayQueueProperties present = own.getIfAvailable();
        return new RequestGuard(
                new AllowedHosts(present == null ? Set.of() : present.allowedHosts()),
                properties.getBasePath(),
                mappers.orderedStream().toList(),
                DelayQueueEndpoint.ID,
                DelayQueueDashboardEndpoint.ID);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HttpFilter.class)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    static final class OnServlets {

        @Bean
        ServletRequestFilter delayQueueServletRequestFilter(
                ObjectProvider<DelayQueueProperties> own,
                WebEndpointProperties properties,
                ObjectProvider<PathMapper> mappers) {
            return new ServletRequestFilter(guard(own, properties, mappers));
        }

        @Bean
        ServletHostFilter delayQueueServletHostFilter(
                ObjectProvider<DelayQueueProperties> own,
                WebEndpointProperties properties,
                ObjectProvider<PathMapper> mappers) {
            return new ServletHostFilter(guard(own, properties, mappers));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(WebFilter.class)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static final class OnWebFlux {

        @Bean
        ReactiveRequestFilter delayQueueReactiveRequestFilter(
                ObjectProvider<DelayQueueProperties> own,
                WebEndpointProperties properties,
                ObjectProvider<PathMapper> mappers) {
            return new ReactiveRequestFilter(guard(own, properties, mappers));
        }

        @Bean
        ReactiveHostFilter delayQueueReactiveHostFilter(
                ObjectProvider<DelayQueueProperties> own,
                WebEndpointProperties properties,
                ObjectProvider<PathMapper> mappers) {
            return new ReactiveHostFilter(guard(own, properties, mappers));
        }
    }
}
