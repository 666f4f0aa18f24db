package io.delayqueue.autoconfigure.http;

import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.autoconfigure.property.HttpProperties;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.web.api.ApiSettings;
import io.delayqueue.web.guard.AccessGuard;
import io.delayqueue.web.waiting.LongPolls;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** Auto-configuration of what the HTTP doors have in common: whom they let in, and who waits at them. */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class)
@ConditionalOnBean(DelayQueueEngine.class)
@Conditional(OnAnyDoor.class)
public final class DelayQueueHttpAutoConfiguration {

    @Bean
    DoorCheck delayQueueDoorCheck(
            DelayQueueProperties properties,
            ObjectProvider<OnServlets> servlets,
            ObjectProvider<ApiSettings> api,
            ListableBeanFactory beans) {
        return new DoorCheck(
                properties.http(), servlets.getIfAvailable() != null, () -> api.getIfAvailable() != null, beans);
    }

    /** Doors are checked at the start, also where beans are made when they are needed. */
    @Bean
    static LazyInitializationExcludeFilter delayQueueDoorCheckExclusion() {
        return LazyInitializationExcludeFilter.forBeanTypes(DoorCheck.class);
    }

    /** What needs servlets. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    static final class OnServlets {

        @Bean
        @ConditionalOnMissingBean
        AccessGuard delayQueueAccessGuard(DelayQueueProperties properties) {
            HttpProperties.Tokens tokens = properties.http().tokens();
            return new AccessGuard(
                    tokens.produce(),
                    tokens.consume(),
                    tokens.admin(),
                    properties.http().unsecured());
        }

        @Bean
        @ConditionalOnMissingBean
        LongPolls delayQueueLongPolls(DelayQueueProperties properties, DelayQueueEngine engine) {
            return new LongPolls(properties.http().maxWaiting(), engine.steps());
        }
    }
}
