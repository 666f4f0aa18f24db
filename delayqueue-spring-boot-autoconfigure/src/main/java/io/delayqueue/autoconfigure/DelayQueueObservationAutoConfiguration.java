package io.delayqueue.autoconfigure;

import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.metrics.observation.DelayQueueProcessObservationConvention;
import io.delayqueue.metrics.observation.DelayQueueSendObservationConvention;
import io.delayqueue.metrics.observation.DeliveryObserver;
import io.delayqueue.metrics.observation.LinkingTracingHandler;
import io.delayqueue.metrics.observation.SendObserver;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Auto-configuration of observations around sends and handling. Off unless it is asked for, and without an
 * {@link ObservationRegistry} there is nothing to tell.
 */
@AutoConfiguration(
        after = DelayQueueAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration"
        })
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBooleanProperty("delayqueue.observation.enabled")
@ConditionalOnBean({DelayQueueEngine.class, ObservationRegistry.class})
public final class DelayQueueObservationAutoConfiguration {

    /** Where the observing interceptors stand: around all others but those that ask for a still higher precedence. */
    public static final int INTERCEPTOR_ORDER = Ordered.HIGHEST_PRECEDENCE + 200;

    /** Before the handler that goes on with a sender's trace, which stands at 1000. */
    private static final int TRACING_HANDLER_ORDER = 500;

    @Bean
    @Order(INTERCEPTOR_ORDER)
    @ConditionalOnMissingBean
    SendObserver delayQueueSendObserver(
            ObservationRegistry registry, ObjectProvider<DelayQueueSendObservationConvention> convention) {
        return new SendObserver(registry, convention.getIfAvailable());
    }

    @Bean
    @Order(INTERCEPTOR_ORDER)
    @ConditionalOnMissingBean
    DeliveryObserver delayQueueDeliveryObserver(
            ObservationRegistry registry,
            ObjectProvider<DelayQueueProcessObservationConvention> convention,
            DelayQueueProperties properties) {
        return new DeliveryObserver(
                registry, convention.getIfAvailable(), properties.observation().link());
    }

    /** Also without the option: a batch has several senders, so that it can only be linked. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Tracer.class)
    @ConditionalOnBean(Tracer.class)
    static class Links {

        @Bean
        @Order(TRACING_HANDLER_ORDER)
        @ConditionalOnMissingBean
        LinkingTracingHandler delayQueueLinkingTracingHandler(Tracer tracer) {
            return new LinkingTracingHandler(tracer);
        }
    }
}
