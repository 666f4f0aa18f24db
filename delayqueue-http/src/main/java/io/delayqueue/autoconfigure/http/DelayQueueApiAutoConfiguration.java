package io.delayqueue.autoconfigure.http;

import io.delayqueue.admin.AuditLog;
import io.delayqueue.admin.DeadLetterGroups;
import io.delayqueue.admin.DeclaredSchedules;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.DelayQueueJobs;
import io.delayqueue.admin.TopicPage;
import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.management.DeadLetterDetails;
import io.delayqueue.management.Jobs;
import io.delayqueue.management.MessageDetails;
import io.delayqueue.management.SchedulePage;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.store.idempotency.IdempotencyKeys;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.DelayQueueSchedules;
import io.delayqueue.template.MessageIds;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.Leases;
import io.delayqueue.web.api.ApiSettings;
import io.delayqueue.web.api.DeadLettersController;
import io.delayqueue.web.api.DocumentController;
import io.delayqueue.web.api.JobsController;
import io.delayqueue.web.api.LeasesController;
import io.delayqueue.web.api.MessageSending;
import io.delayqueue.web.api.MessageSettling;
import io.delayqueue.web.api.MessagesController;
import io.delayqueue.web.api.ReceiveController;
import io.delayqueue.web.api.SchedulesController;
import io.delayqueue.web.api.TopicsController;
import io.delayqueue.web.api.request.DeadLetterRequest;
import io.delayqueue.web.api.request.DueRequest;
import io.delayqueue.web.api.request.EmptyRequest;
import io.delayqueue.web.api.request.ExtendRequest;
import io.delayqueue.web.api.request.HoldRequest;
import io.delayqueue.web.api.request.JobStartRequest;
import io.delayqueue.web.api.request.PostponeRequest;
import io.delayqueue.web.api.request.ReceiveRequest;
import io.delayqueue.web.api.request.RetryRequest;
import io.delayqueue.web.api.request.ScheduleRequest;
import io.delayqueue.web.api.request.SendAllRequest;
import io.delayqueue.web.api.request.SendRequest;
import io.delayqueue.web.api.request.SettleAllRequest;
import io.delayqueue.web.api.request.SettleRequest;
import io.delayqueue.web.api.response.CancelResponse;
import io.delayqueue.web.api.response.DeliveryResponse;
import io.delayqueue.web.api.response.JobPreview;
import io.delayqueue.web.api.response.Problem;
import io.delayqueue.web.api.response.ReceiveResponse;
import io.delayqueue.web.api.response.ScheduleResponse;
import io.delayqueue.web.api.response.SendAllResponse;
import io.delayqueue.web.api.response.SendResponse;
import io.delayqueue.web.api.response.SettleAllResponse;
import io.delayqueue.web.api.response.SettleResponse;
import io.delayqueue.web.guard.AccessGuard;
import io.delayqueue.web.waiting.LongPolls;
import io.delayqueue.web.waiting.RequestBodies;
import java.security.SecureRandom;
import java.time.InstantSource;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Auto-configuration of the HTTP API, which the application's Spring MVC serves. */
@AutoConfiguration(after = DelayQueueHttpAutoConfiguration.class)
@ConditionalOnBean(DelayQueueEngine.class)
@ConditionalOnBooleanProperty("delayqueue.http.api.enabled")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
public final class DelayQueueApiAutoConfiguration {

    /** Configuration for applications with Spring MVC. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(DispatcherServlet.class)
    @RegisterReflectionForBinding({
        CancelResponse.class,
        DeadLetterDetails.Page.class,
        JobPreview.class,
        Jobs.class,
        MessageDetails.class,
        TopicPage.class,
        DeliveryResponse.class,
        DeadLetterGroups.class,
        JobStartRequest.class,
        Problem.class,
        ReceiveResponse.class,
        SchedulePage.class,
        ScheduleRequest.class,
        ScheduleResponse.class,
        SendAllResponse.class,
        SendResponse.class,
        SettleAllResponse.class,
        SettleResponse.class,
        DeadLetterRequest.class,
        DueRequest.class,
        EmptyRequest.class,
        ExtendRequest.class,
        HoldRequest.class,
        ReceiveRequest.class,
        PostponeRequest.class,
        RetryRequest.class,
        SendAllRequest.class,
        SendRequest.class,
        SettleAllRequest.class,
        SettleRequest.class
    })
    static final class OnSpringMvc {

        @Bean
        @ConditionalOnMissingBean
        ApiSettings delayQueueApiSettings(DelayQueueProperties properties) {
            var api = properties.http().api();
            return new ApiSettings(api.basePath(), api.maxWait(), api.maxCount());
        }

        @Bean
        ApiWebConfigurer delayQueueApiWebConfigurer(ApiSettings settings, AccessGuard guard, RequestBodies bodies) {
            return new ApiWebConfigurer(settings, guard, bodies);
        }

        @Bean
        @ConditionalOnMissingBean
        IdempotencyKeys delayQueueIdempotencyKeys(RedisScripts scripts, KeySpace keySpace) {
            return new IdempotencyKeys(scripts, keySpace, new SecureRandom());
        }

        @Bean
        @ConditionalOnMissingBean
        MessageSending delayQueueMessageSending(
                DelayQueueOperations operations,
                IdempotencyKeys keys,
                TopicRegistry topics,
                DelayQueueProperties properties) {
            InstantSource clock = InstantSource.system();
            return new MessageSending(
                    operations,
                    keys,
                    new MessageIds(clock, new SecureRandom()),
                    properties.limits().toLimits(),
                    clock,
                    topics,
                    properties.http().maxTopics());
        }

        @Bean
        MessagesController delayQueueMessagesController(
                MessageSending sending, DelayQueueOperations operations, ApiSettings settings) {
            return new MessagesController(sending, operations, settings);
        }

        @Bean
        @ConditionalOnMissingBean
        MessageSettling delayQueueMessageSettling(Leases leases, DelayQueueProperties properties) {
            return new MessageSettling(
                    leases, properties.redis().commandTimeout().multipliedBy(2));
        }

        @Bean
        ReceiveController delayQueueReceiveController(
                DelayQueueReceiver receiver, MessageSettling settling, LongPolls polls, ApiSettings settings) {
            return new ReceiveController(receiver, settling, polls, settings);
        }

        @Bean
        LeasesController delayQueueLeasesController(MessageSettling settling, ApiSettings settings) {
            return new LeasesController(settling, settings);
        }

        @Bean
        TopicsController delayQueueTopicsController(DelayQueueInspector inspector) {
            return new TopicsController(inspector);
        }

        @Bean
        DeadLettersController delayQueueDeadLettersController(
                DelayQueueAdmin admin, DelayQueueInspector inspector, AuditLog audit) {
            return new DeadLettersController(admin, inspector, audit);
        }

        @Bean
        JobsController delayQueueJobsController(DelayQueueJobs jobs, AuditLog audit) {
            return new JobsController(jobs, audit);
        }

        @Bean
        @ConditionalOnBean(DelayQueueSchedules.class)
        SchedulesController delayQueueSchedulesController(
                DelayQueueSchedules schedules, MessageSending sending, ObjectProvider<DeclaredSchedules> declared) {
            return new SchedulesController(schedules, sending, declared.getIfAvailable());
        }

        @Bean
        DocumentController delayQueueDocumentController(
                @Qualifier("requestMappingHandlerMapping") ObjectProvider<RequestMappingHandlerMapping> mapping,
                ApiSettings settings,
                DelayQueueProperties properties) {
            return new DocumentController(
                    mapping::getObject, settings, properties.limits().toLimits());
        }
    }
}
