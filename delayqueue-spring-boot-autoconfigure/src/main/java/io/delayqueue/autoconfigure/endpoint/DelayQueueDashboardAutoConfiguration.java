package io.delayqueue.autoconfigure.endpoint;

import io.delayqueue.actuate.dashboard.DelayQueueDashboardEndpoint;
import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.container.DelayQueueEngine;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the dashboard, the endpoint {@code delayqueuedashboard}. */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class)
@ConditionalOnClass({WebEndpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnWebApplication
@ConditionalOnBean(DelayQueueEngine.class)
@ConditionalOnAvailableEndpoint(DelayQueueDashboardEndpoint.class)
public final class DelayQueueDashboardAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    DelayQueueDashboardEndpoint delayQueueDashboardEndpoint(ObjectProvider<PathMappedEndpoints> endpoints) {
        return new DelayQueueDashboardEndpoint(endpoints::getObject);
    }
}
