package io.delayqueue.autoconfigure.http;

import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.autoconfigure.property.HttpProperties;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.management.guard.Client;
import io.delayqueue.management.guard.Permission;
import io.delayqueue.management.guard.RequestPolicy;
import io.delayqueue.web.api.ApiSettings;
import io.delayqueue.web.guard.AccessGuard;
import io.delayqueue.web.guard.RejectedTokenFilter;
import io.delayqueue.web.waiting.LongPolls;
import io.delayqueue.web.waiting.RequestBodies;
import io.delayqueue.web.waiting.TomcatRequestValve;
import io.delayqueue.web.waiting.UnreadBodyFilter;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/** Auto-configuration of the components that the HTTP interfaces share: access control, waiting clients and meters. */
@AutoConfiguration(
        after = DelayQueueAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnBean(DelayQueueEngine.class)
@Conditional(OnAnyHttpInterface.class)
@ImportRuntimeHints(HttpRuntimeHints.class)
public final class DelayQueueHttpAutoConfiguration {

    @Bean
    HttpInterfaceCheck delayQueueHttpInterfaceCheck(
            DelayQueueProperties properties,
            ObjectProvider<OnServlets> servlets,
            ObjectProvider<ApiSettings> api,
            ListableBeanFactory beans) {
        return new HttpInterfaceCheck(
                properties.http(), servlets.getIfAvailable() != null, () -> api.getIfAvailable() != null, beans);
    }

    /** Configuration for servlet applications. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @Import(RequestMetersConfiguration.class)
    static final class OnServlets {

        private static final String AUTHENTICATION = "org.springframework.security.core.Authentication";

        @Bean
        @ConditionalOnMissingBean
        AccessGuard delayQueueAccessGuard(DelayQueueProperties properties) {
            return new AccessGuard(
                    new RequestPolicy(
                            properties.allowedHosts(),
                            clients(properties.http().clients()),
                            properties.http().unsecured()),
                    ClassUtils.isPresent(AUTHENTICATION, getClass().getClassLoader())
                            ? GrantedAuthorities::contain
                            : HttpServletRequest::isUserInRole);
        }

        private static List<Client> clients(Map<String, HttpProperties.Client> clients) {
            return clients.entrySet().stream()
                    .map(entry -> {
                        HttpProperties.Client client = entry.getValue();
                        return new Client(
                                entry.getKey(),
                                client.tokens(),
                                client.permissions().stream()
                                        .map(permission -> Permission.valueOf(permission.name()))
                                        .collect(Collectors.toSet()),
                                client.topics(),
                                client.requestsPerSecond(),
                                client.maxWaiting(),
                                System::nanoTime);
                    })
                    .toList();
        }

        /** Runs before all filters that may reject a request, such as those of Spring Security. */
        @Bean
        FilterRegistrationBean<UnreadBodyFilter> delayQueueUnreadBodies(DelayQueueProperties properties) {
            return filter("delayQueueUnreadBodies", new UnreadBodyFilter(), properties.http());
        }

        @Bean
        FilterRegistrationBean<RejectedTokenFilter> delayQueueRejectedTokens(
                AccessGuard guard, DelayQueueProperties properties) {
            List<String> patterns = paths(properties.http()).stream()
                    .map(path -> path.endsWith("/*") ? path + "*" : path)
                    .toList();
            return filter("delayQueueRejectedTokens", new RejectedTokenFilter(guard, patterns), properties.http());
        }

        private static <F extends Filter> FilterRegistrationBean<F> filter(
                String name, F filter, HttpProperties properties) {
            FilterRegistrationBean<F> registration = new FilterRegistrationBean<>(filter);
            registration.setUrlPatterns(paths(properties));
            registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
            registration.setName(name);
            return registration;
        }

        private static List<String> paths(HttpProperties properties) {
            List<String> paths = new ArrayList<>();
            if (properties.api().enabled()) {
                paths.add(properties.api().basePath() + "/*");
            }
            if (properties.compat().enabled()) {
                paths.addAll(DelayQueueCompatAutoConfiguration.paths(
                        properties.compat().basePath()));
            }
            return paths;
        }

        @Bean
        RequestBodies delayQueueRequestBodies(DelayQueueProperties properties) {
            HttpProperties http = properties.http();
            return new RequestBodies((int) http.maxBodySize().toBytes(), http.bodyTimeout(), http.maxSlowBodies());
        }

        @Bean
        @ConditionalOnMissingBean
        LongPolls delayQueueLongPolls(DelayQueueProperties properties) {
            return new LongPolls(properties.http().maxWaiting());
        }
    }
    /** Configuration for Spring Boot's Tomcat. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(ConfigurableTomcatWebServerFactory.class)
    static final class OnTomcat {

        @Bean
        WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> delayQueueTomcatRequests() {
            return factory -> factory.addEngineValves(new TomcatRequestValve());
        }
    }
}
