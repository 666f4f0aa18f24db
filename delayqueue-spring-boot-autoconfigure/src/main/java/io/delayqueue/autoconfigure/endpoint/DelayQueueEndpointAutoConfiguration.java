package io.delayqueue.autoconfigure.endpoint;

import io.delayqueue.actuate.ActionResponse;
import io.delayqueue.actuate.DelayQueueEndpoint;
import io.delayqueue.actuate.ErrorResponse;
import io.delayqueue.actuate.Overview;
import io.delayqueue.actuate.ParametersAdvisor;
import io.delayqueue.actuate.QueueActions;
import io.delayqueue.actuate.QueueViews;
import io.delayqueue.actuate.QueueViews.NodeIdentity;
import io.delayqueue.actuate.SlowestKeys;
import io.delayqueue.actuate.StackDetails;
import io.delayqueue.actuate.TopicDetails;
import io.delayqueue.admin.AuditLog;
import io.delayqueue.admin.DeadLetterGroups;
import io.delayqueue.admin.DeclaredSchedules;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.DelayQueueJobs;
import io.delayqueue.admin.HandlerForecast;
import io.delayqueue.admin.HandlerForecasts;
import io.delayqueue.admin.TopicSampler;
import io.delayqueue.admin.Upcoming;
import io.delayqueue.admin.UpcomingSampler;
import io.delayqueue.admin.diagnosis.QueueDiagnosis;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.autoconfigure.DelayListenerAutoConfiguration;
import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.autoconfigure.metrics.TopicSamplerConfiguration;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.management.DeadLetterDetails;
import io.delayqueue.management.Jobs;
import io.delayqueue.management.MessageDetails;
import io.delayqueue.management.SchedulePage;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.DelayQueueSchedules;
import java.time.InstantSource;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Auto-configuration of the management endpoint {@code delayqueue}. */
@AutoConfiguration(after = {DelayQueueAutoConfiguration.class, DelayListenerAutoConfiguration.class})
@ConditionalOnClass({WebEndpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnWebApplication
@ConditionalOnBean(DelayQueueEngine.class)
public final class DelayQueueEndpointAutoConfiguration {

    /**
     * Nested, because all conditions of one class are loaded before the first of them is evaluated, and the condition
     * of this one is a class of Actuator, which is optional.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnAvailableEndpoint(endpoint = DelayQueueEndpoint.class, exposure = EndpointExposure.WEB)
    @EnableConfigurationProperties(EndpointProperties.class)
    @Import(TopicSamplerConfiguration.class)
    @RegisterReflectionForBinding({
        ActionResponse.class,
        ErrorResponse.class,
        Overview.class,
        TopicDetails.class,
        DeadLetterDetails.Page.class,
        DeadLetterGroups.class,
        HandlerForecast.class,
        Jobs.class,
        MessageDetails.Page.class,
        SchedulePage.class,
        SlowestKeys.class,
        StackDetails.class,
        Upcoming.class
    })
    static final class Exposed {

        @Bean
        @ConditionalOnMissingBean
        DelayQueueEndpoint delayQueueEndpoint(QueueViews views, QueueActions actions, EndpointProperties properties) {
            return new DelayQueueEndpoint(views, actions, properties::showsPayloadsTo);
        }

        @Bean
        @ConditionalOnMissingBean
        QueueViews delayQueueViews(
                DelayQueueEngine engine,
                ObjectProvider<DelayListenerRegistry> listeners,
                DelayQueueInspector inspector,
                TopicSampler sampler,
                HandlerForecasts forecasts,
                QueueDiagnosis diagnosis,
                DelayQueueAdmin admin,
                DelayQueueJobs jobs,
                DelayQueueOperations operations,
                ObjectProvider<DelayQueueSchedules> schedules,
                ObjectProvider<DeclaredSchedules> declared,
                DelayQueueProperties properties,
                EndpointAccessResolver access) {
            boolean writable =
                    access.accessFor(EndpointId.of(DelayQueueEndpoint.ID), Access.READ_ONLY) == Access.UNRESTRICTED;
            return new QueueViews(
                    new NodeIdentity(
                            properties.namespace(),
                            engine.node(),
                            writable,
                            properties.dashboard().toLinks()),
                    InstantSource.system(),
                    listeners.getIfAvailable(),
                    inspector,
                    sampler,
                    new UpcomingSampler(inspector, sampler, engine.nanoTime()),
                    forecasts,
                    diagnosis,
                    properties.health().maxLag(),
                    admin,
                    jobs,
                    operations,
                    schedules.getIfAvailable(),
                    declared.getIfAvailable());
        }

        @Bean
        @ConditionalOnMissingBean
        QueueActions delayQueueActions(
                DelayQueueOperations operations,
                ObjectProvider<DelayQueueSchedules> schedules,
                DelayQueueAdmin admin,
                DelayQueueJobs jobs,
                AuditLog audit) {
            return new QueueActions(operations, schedules.getIfAvailable(), admin, jobs, audit);
        }

        @Bean
        @ConditionalOnMissingBean
        ParametersAdvisor delayQueueParametersAdvisor() {
            return new ParametersAdvisor();
        }
    }
}
