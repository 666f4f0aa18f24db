package io.delayqueue.autoconfigure;

import io.delayqueue.autoconfigure.DelayQueueProperties.Observation.Convention;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.metrics.observation.DelayQueueProcessObservationConvention;
import io.delayqueue.metrics.observation.DelayQueueReceiveObservationConvention;
import io.delayqueue.metrics.observation.DelayQueueSendObservationConvention;
import io.delayqueue.metrics.observation.DeliveryObserver;
import io.delayqueue.metrics.observation.LinkingTracingHandler;
import io.delayqueue.metrics.observation.OpenTelemetryConventions;
import io.delayqueue.metrics.observation.ReceiveObserver;
import io.delayqueue.metrics.observation.ReceiveTracingHandler;
import io.delayqueue.metrics.observation.SendObserver;
import io.delayqueue.template.receive.DefaultDelayQueueReceiver;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Auto-configuration of observations of sends, receive calls and handling. It is disabled by default and requires an
 * {@link ObservationRegistry}.
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

    /** The order of the observing interceptors. They run around all others except those with a higher precedence. */
    public static final int INTERCEPTOR_ORDER = Ordered.HIGHEST_PRECEDENCE + 200;

    /**
     * The order of the linking handlers. The handlers of Spring Boot have order 1000 or more and must come later.
     */
    private static final int TRACING_HANDLER_ORDER = 500;

    @Bean
    @Order(INTERCEPTOR_ORDER)
    @ConditionalOnMissingBean
    SendObserver delayQueueSendObserver(
            ObservationRegistry registry,
            ObjectProvider<DelayQueueSendObservationConvention> own,
            DelayQueueProperties properties) {
        return new SendObserver(registry, convention(own, properties, OpenTelemetryConventions.SEND));
    }

    @Bean
    @Order(INTERCEPTOR_ORDER)
    @ConditionalOnMissingBean
    DeliveryObserver delayQueueDeliveryObserver(
            ObservationRegistry registry,
            ObjectProvider<DelayQueueProcessObservationConvention> own,
            DelayQueueProperties properties) {
        return new DeliveryObserver(
                registry,
                convention(own, properties, OpenTelemetryConventions.PROCESS),
                properties.observation().link());
    }

    /** Used instead of the receiver that it wraps. The registry is lazy: its handlers may inject the receiver. */
    @Bean
    @Primary
    @ConditionalOnBean(DefaultDelayQueueReceiver.class)
    @ConditionalOnMissingBean
    ReceiveObserver delayQueueReceiveObserver(
            DefaultDelayQueueReceiver receiver,
            @Lazy ObservationRegistry registry,
            ObjectProvider<DelayQueueReceiveObservationConvention> own,
            DelayQueueProperties properties) {
        return new ReceiveObserver(receiver, registry, convention(own, properties, OpenTelemetryConventions.RECEIVE));
    }

    /** Returns the convention that replaces the default; null if none does. */
    private static <T> @Nullable T convention(ObjectProvider<T> own, DelayQueueProperties properties, T openTelemetry) {
        T convention = own.getIfAvailable();
        boolean chosen = properties.observation().convention() == Convention.OPEN_TELEMETRY;
        return convention == null && chosen ? openTelemetry : convention;
    }

    /**
     * Links traces. Required even if {@code link} is false, because the messages of a batch or of a receive call may
     * have several senders.
     */
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

        @Bean
        @Order(TRACING_HANDLER_ORDER)
        @ConditionalOnMissingBean
        ReceiveTracingHandler delayQueueReceiveTracingHandler(Tracer tracer) {
            return new ReceiveTracingHandler(tracer, InstantSource.system());
        }
    }
}
