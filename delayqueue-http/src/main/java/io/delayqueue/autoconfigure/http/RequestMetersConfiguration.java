package io.delayqueue.autoconfigure.http;

import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.web.waiting.LongPolls;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.Filter;
import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

/** Registers the meters of both HTTP interfaces. Requires a meter registry. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnSingleCandidate(MeterRegistry.class)
class RequestMetersConfiguration {

    @Bean
    RequestMeters delayQueueRequestMeters(MeterRegistry registry, DelayQueueProperties properties, LongPolls polls) {
        return new RequestMeters(registry, properties.http().clients().keySet(), polls, System::nanoTime);
    }

    @Bean
    @ConditionalOnBooleanProperty("delayqueue.http.api.enabled")
    FilterRegistrationBean<Filter> delayQueueApiRequestMeters(RequestMeters meters, DelayQueueProperties properties) {
        return registration(
                "delayQueueApiRequestMeters",
                meters.filter("api"),
                List.of(properties.http().api().basePath() + "/*"));
    }

    @Bean
    @ConditionalOnBooleanProperty("delayqueue.http.compat.enabled")
    FilterRegistrationBean<Filter> delayQueueCompatRequestMeters(
            RequestMeters meters, DelayQueueProperties properties) {
        return registration(
                "delayQueueCompatRequestMeters",
                meters.filter("compat"),
                DelayQueueCompatAutoConfiguration.paths(
                        properties.http().compat().basePath()));
    }

    /** Runs before the filters that may reject a request, such as those of Spring Security. */
    private static FilterRegistrationBean<Filter> registration(String name, Filter filter, List<String> paths) {
        FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(filter);
        registration.setUrlPatterns(paths);
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
        registration.setName(name);
        return registration;
    }
}
