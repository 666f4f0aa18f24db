package io.delayqueue.autoconfigure.endpoint;

import io.delayqueue.actuate.DelayQueueEndpoint;
import io.delayqueue.actuate.dashboard.DelayQueueDashboardEndpoint;
import io.delayqueue.actuate.guard.EndpointGuard;
import io.delayqueue.actuate.guard.EndpointGuard.Position;
import io.delayqueue.actuate.guard.ReactiveGuardFilter;
import io.delayqueue.actuate.guard.ServletGuardFilter;
import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.management.guard.RequestPolicy;
import jakarta.servlet.http.HttpFilter;
import java.util.List;
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

/** Registers the filters of the queue's endpoints in the context of the server that serves them. */
@ManagementContextConfiguration(proxyBeanMethods = false)
@Conditional(OnQueueEndpoint.class)
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
final class EndpointGuardConfiguration {

    @Bean
    EndpointGuard delayQueueEndpointGuard(
            ObjectProvider<DelayQueueProperties> own,
            WebEndpointProperties properties,
            ObjectProvider<PathMapper> mappers) {
        DelayQueueProperties present = own.getIfAvailable();
        return new EndpointGuard(
                new RequestPolicy(present == null ? Set.of() : present.allowedHosts(), List.of(), false),
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
        ServletGuardFilter delayQueueGuardBeforeSecurity(EndpointGuard guard) {
            return new ServletGuardFilter(guard, Position.BEFORE_SECURITY);
        }

        @Bean
        ServletGuardFilter delayQueueGuardAfterSecurity(EndpointGuard guard) {
            return new ServletGuardFilter(guard, Position.AFTER_SECURITY);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(WebFilter.class)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static final class OnWebFlux {

        @Bean
        ReactiveGuardFilter delayQueueGuardBeforeSecurity(EndpointGuard guard) {
            return new ReactiveGuardFilter(guard, Position.BEFORE_SECURITY);
        }

        @Bean
        ReactiveGuardFilter delayQueueGuardAfterSecurity(EndpointGuard guard) {
            return new ReactiveGuardFilter(guard, Position.AFTER_SECURITY);
        }
    }
}
