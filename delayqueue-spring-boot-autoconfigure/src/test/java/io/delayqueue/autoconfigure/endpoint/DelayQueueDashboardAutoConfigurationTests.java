package io.delayqueue.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.actuate.DelayQueueEndpoint;
import io.delayqueue.actuate.dashboard.DelayQueueDashboardEndpoint;
import io.delayqueue.actuate.guard.ReactiveGuardFilter;
import io.delayqueue.actuate.guard.ServletGuardFilter;
import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.autoconfigure.PayloadConverterAutoConfiguration;
import io.delayqueue.container.DelayQueueEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

/** The conditions of the dashboard. */
class DelayQueueDashboardAutoConfigurationTests {

    private static final String EXPOSED = "management.endpoints.web.exposure.include=delayqueuedashboard";

    /** In upper case, because a context without SpringApplication requires the exact name of the enum constant. */
    private static final String ALLOWED = "management.endpoint.delayqueuedashboard.access=READ_ONLY";

    private final WebApplicationContextRunner servlet = queue(new WebApplicationContextRunner());
    private final ReactiveWebApplicationContextRunner reactive = queue(new ReactiveWebApplicationContextRunner());

    private static <R extends AbstractApplicationContextRunner<R, ?, ?>> R queue(R runner) {
        return runner.withConfiguration(AutoConfigurations.of(
                DataRedisAutoConfiguration.class,
                JacksonAutoConfiguration.class,
                PayloadConverterAutoConfiguration.class,
                DelayQueueAutoConfiguration.class,
                EndpointAutoConfiguration.class,
                WebEndpointAutoConfiguration.class,
                ManagementContextAutoConfiguration.class,
                DelayQueueDashboardAutoConfiguration.class));
    }

    @Test
    void enabledDashboardIsGuarded() {
        servlet.withPropertyValues(EXPOSED, ALLOWED).run(context -> {
            assertThat(context)
                    .hasSingleBean(DelayQueueDashboardEndpoint.class)
                    .doesNotHaveBean(DelayQueueEndpoint.class);
            assertThat(context).getBeans(ServletGuardFilter.class).hasSize(2);
        });
        reactive.withPropertyValues(EXPOSED, ALLOWED).run(context -> {
            assertThat(context).hasSingleBean(DelayQueueDashboardEndpoint.class);
            assertThat(context).getBeans(ReactiveGuardFilter.class).hasSize(2);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {EXPOSED, ALLOWED, "management.endpoints.web.exposure.include=*"})
    void dashboardRequiresExposureAndAccess(String property) {
        servlet.withPropertyValues(property)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(DelayQueueDashboardEndpoint.class));
    }

    @Test
    void dashboardRequiresQueueWebAndActuator() {
        servlet.withPropertyValues(EXPOSED, ALLOWED, "delayqueue.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(DelayQueueDashboardEndpoint.class));
        queue(new ApplicationContextRunner())
                .withPropertyValues(EXPOSED, ALLOWED)
                .run(context -> assertThat(context)
                        .hasSingleBean(DelayQueueEngine.class)
                        .doesNotHaveBean(DelayQueueDashboardEndpoint.class));
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataRedisAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        PayloadConverterAutoConfiguration.class,
                        DelayQueueAutoConfiguration.class,
                        DelayQueueDashboardAutoConfiguration.class))
                .withPropertyValues(EXPOSED, ALLOWED)
                .withClassLoader(new FilteredClassLoader(WebEndpoint.class))
                .run(context -> assertThat(context)
                        .hasSingleBean(DelayQueueEngine.class)
                        .doesNotHaveBean("delayQueueDashboardEndpoint"));
    }
}
