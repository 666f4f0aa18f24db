package io.delayqueue.autoconfigure;

import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.metrics.observation.LoggingContext;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Auto-configuration of the MDC entries that are set while a handler runs. */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class)
@ConditionalOnClass(MDC.class)
@ConditionalOnBooleanProperty(name = "delayqueue.listener.mdc", matchIfMissing = true)
@ConditionalOnBean(DelayQueueEngine.class)
public final class DelayQueueLoggingAutoConfiguration {

    /** The order of the interceptor, which runs around the observing interceptors. */
    public static final int INTERCEPTOR_ORDER = Ordered.HIGHEST_PRECEDENCE + 100;

    @Bean
    @Order(INTERCEPTOR_ORDER)
    @ConditionalOnMissingBean
    LoggingContext delayQueueLoggingContext() {
        return new LoggingContext();
    }
}
