package io.delayqueue.autoconfigure.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.autoconfigure.PayloadConverterAutoConfiguration;
import io.delayqueue.management.DeadLetterDetails;
import io.delayqueue.management.MessageDetails;
import io.delayqueue.management.SchedulePage;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.web.api.MessagesController;
import io.delayqueue.web.api.SchedulesController;
import io.delayqueue.web.api.request.ScheduleRequest;
import io.delayqueue.web.api.response.DeliveryResponse;
import io.delayqueue.web.api.response.Problem;
import io.delayqueue.web.api.response.ScheduleResponse;
import io.delayqueue.web.api.response.SendAllResponse;
import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.DispatcherServlet;

class DelayQueueApiAutoConfigurationTests {

    private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataRedisAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    PayloadConverterAutoConfiguration.class,
                    DispatcherServletAutoConfiguration.class,
                    WebMvcAutoConfiguration.class,
                    DelayQueueAutoConfiguration.class,
                    DelayQueueHttpAutoConfiguration.class,
                    DelayQueueApiAutoConfiguration.class));

    private final WebApplicationContextRunner opened =
            runner.withPropertyValues("delayqueue.http.api.enabled=true", "delayqueue.http.unsecured=true");

    @Test
    void apiIsDisabledByDefault() {
        runner.withPropertyValues("delayqueue.http.compat.enabled=true", "delayqueue.http.unsecured=true")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(MessagesController.class)
                        .doesNotHaveBean(ApiWebConfigurer.class));
    }

    @Test
    void withoutSpringMvcTheStartFails() {
        opened.withClassLoader(new FilteredClassLoader(DispatcherServlet.class))
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining(
                                "delayqueue.http.api.enabled is true, but this application has no Spring MVC"));
    }

    @Test
    void applicationWithItsOwnOperationsHasNoSchedules() {
        opened.run(context -> assertThat(context).hasSingleBean(SchedulesController.class));
        opened.withUserConfiguration(OwnOperations.class)
                .run(context -> assertThat(context)
                        .hasSingleBean(MessagesController.class)
                        .doesNotHaveBean(SchedulesController.class));
    }

    @Configuration
    static class OwnOperations {

        @Bean
        DelayQueueOperations operations() {
            return (DelayQueueOperations) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {DelayQueueOperations.class}, (proxy, method, args) -> {
                        throw new UnsupportedOperationException();
                    });
        }
    }

    @Test
    void responsesAreRegisteredForNativeImages() {
        RegisterReflectionForBinding hints =
                DelayQueueApiAutoConfiguration.OnSpringMvc.class.getAnnotation(RegisterReflectionForBinding.class);

        assertThat(List.of(hints.value()))
                .contains(
                        DeliveryResponse.class,
                        DeadLetterDetails.Page.class,
                        MessageDetails.class,
                        Problem.class,
                        SchedulePage.class,
                        ScheduleRequest.class,
                        ScheduleResponse.class,
                        SendAllResponse.class);
    }
}
