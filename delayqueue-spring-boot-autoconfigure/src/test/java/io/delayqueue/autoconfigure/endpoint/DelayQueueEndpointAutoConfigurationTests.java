package io.delayqueue.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.actuate.DelayQueueEndpoint;
import io.delayqueue.actuate.Overview;
import io.delayqueue.actuate.guard.ReactiveGuardFilter;
import io.delayqueue.actuate.guard.ServletGuardFilter;
import io.delayqueue.admin.TopicSampler;
import io.delayqueue.autoconfigure.DelayListenerAutoConfiguration;
import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.autoconfigure.PayloadConverterAutoConfiguration;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.management.Jobs;
import io.delayqueue.management.MessageDetails;
import jakarta.servlet.http.HttpFilter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
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
import org.springframework.core.Ordered;
import org.springframework.web.server.WebFilter;

/** The conditions of the endpoint. */
class DelayQueueEndpointAutoConfigurationTests {

    private static final String EXPOSED = "management.endpoints.web.exposure.include=delayqueue";

    private final WebApplicationContextRunner servlet = queue(new WebApplicationContextRunner());
    private final ReactiveWebApplicationContextRunner reactive = queue(new ReactiveWebApplicationContextRunner());

    private static <R extends AbstractApplicationContextRunner<R, ?, ?>> R queue(R runner) {
        return runner.withConfiguration(AutoConfigurations.of(
                        DataRedisAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        PayloadConverterAutoConfiguration.class,
                        DelayQueueAutoConfiguration.class,
                        DelayListenerAutoConfiguration.class,
                        EndpointAutoConfiguration.class,
                        WebEndpointAutoConfiguration.class,
                        ManagementContextAutoConfiguration.class,
                        DelayQueueEndpointAutoConfiguration.class))
                .withPropertyValues(EXPOSED);
    }

    @Test
    void exposedEndpointIsGuardedBeforeAndAfterTheApplicationsSecurity() {
        servlet.run(context -> {
            assertThat(context)
                    .hasSingleBean(DelayQueueEndpoint.class)
                    .hasSingleBean(TopicSampler.class)
                    .doesNotHaveBean(ReactiveGuardFilter.class);
            assertThat(context.getBeanProvider(ServletGuardFilter.class).stream()
                            .map(Ordered::getOrder))
                    .containsExactlyInAnyOrder(Ordered.HIGHEST_PRECEDENCE + 100, Ordered.LOWEST_PRECEDENCE);
        });
        reactive.run(context -> {
            assertThat(context)
                    .hasSingleBean(DelayQueueEndpoint.class)
                    .hasSingleBean(TopicSampler.class)
                    .doesNotHaveBean(ServletGuardFilter.class);
            assertThat(context.getBeanProvider(ReactiveGuardFilter.class).stream()
                            .map(Ordered::getOrder))
                    .containsExactlyInAnyOrder(Ordered.HIGHEST_PRECEDENCE + 100, Ordered.LOWEST_PRECEDENCE);
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "management.endpoints.web.exposure.include=health",
                "management.endpoint.delayqueue.access=NONE",
                "management.endpoints.access.max-permitted=NONE",
                "delayqueue.enabled=false"
            })
    void endpointIsAbsentUntilItIsExposed(String property) {
        servlet.withPropertyValues(property)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(DelayQueueEndpoint.class)
                        .doesNotHaveBean(TopicSampler.class)
                        .doesNotHaveBean(ServletGuardFilter.class));
    }

    @Test
    void endpointRequiresAWebApplication() {
        queue(new ApplicationContextRunner())
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(DelayQueueEngine.class)
                        .doesNotHaveBean(DelayQueueEndpoint.class)
                        .doesNotHaveBean(TopicSampler.class));
    }

    @Test
    void endpointRequiresActuator() {
        WebApplicationContextRunner queue = new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataRedisAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        PayloadConverterAutoConfiguration.class,
                        DelayQueueAutoConfiguration.class,
                        DelayListenerAutoConfiguration.class,
                        DelayQueueEndpointAutoConfiguration.class))
                .withPropertyValues(EXPOSED);
        for (FilteredClassLoader without : new FilteredClassLoader[] {
            new FilteredClassLoader("org.springframework.boot.actuate"), new FilteredClassLoader(WebEndpoint.class)
        }) {
            queue.withClassLoader(without)
                    .run(context -> assertThat(context)
                            .hasNotFailed()
                            .hasSingleBean(DelayQueueEngine.class)
                            .doesNotHaveBean("delayQueueEndpoint")
                            .doesNotHaveBean(TopicSampler.class));
        }
    }

    @Test
    void eachWebStackWorksWithoutTheOther() {
        servlet.withClassLoader(new FilteredClassLoader(WebFilter.class))
                .run(context ->
                        assertThat(context).getBeans(ServletGuardFilter.class).hasSize(2));
        reactive.withClassLoader(new FilteredClassLoader(HttpFilter.class))
                .run(context ->
                        assertThat(context).getBeans(ReactiveGuardFilter.class).hasSize(2));
    }

    @Test
    void endpointDoesNotRequireListeners() {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataRedisAutoConfiguration.class,
                        DelayQueueAutoConfiguration.class,
                        EndpointAutoConfiguration.class,
                        WebEndpointAutoConfiguration.class,
                        DelayQueueEndpointAutoConfiguration.class))
                .withPropertyValues(EXPOSED)
                .run(context -> assertThat(context).hasSingleBean(DelayQueueEndpoint.class));
    }

    @Test
    void invalidShowPayloadsFailsTheStart() {
        servlet.withPropertyValues("management.endpoint.delayqueue.show-payloads=sometimes")
                .run(context ->
                        assertThat(context).getFailure().hasMessageContaining("management.endpoint.delayqueue"));
    }

    @Test
    void responsesAreRegisteredForNativeImages() {
        assertThat(DelayQueueEndpointAutoConfiguration.Exposed.class
                        .getAnnotation(RegisterReflectionForBinding.class)
                        .value())
                .contains(Overview.class, Jobs.class, MessageDetails.Page.class);
    }
}
