package io.delayqueue.autoconfigure.http;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.message.Failure;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.store.idempotency.IdempotencyKeys;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.MessageIds;
import io.delayqueue.template.pull.DelayQueueReceiver;
import io.delayqueue.template.pull.Leases;
import io.delayqueue.web.api.ApiSettings;
import io.delayqueue.web.api.DeadLettersController;
import io.delayqueue.web.api.DocumentController;
import io.delayqueue.web.api.LeasesController;
import io.delayqueue.web.api.MessageSending;
import io.delayqueue.web.api.MessagesController;
import io.delayqueue.web.api.ReceiveController;
import io.delayqueue.web.api.Waits;
import io.delayqueue.web.api.answer.CancelledAnswer;
import io.delayqueue.web.api.answer.DeliveryAnswer;
import io.delayqueue.web.api.answer.LetterAnswer;
import io.delayqueue.web.api.answer.MessageAnswer;
import io.delayqueue.web.api.answer.Problem;
import io.delayqueue.web.api.answer.PulledAnswer;
import io.delayqueue.web.api.answer.PurgedAnswer;
import io.delayqueue.web.api.answer.ReplayedAnswer;
import io.delayqueue.web.api.answer.SentAllAnswer;
import io.delayqueue.web.api.answer.SentAnswer;
import io.delayqueue.web.guard.AccessGuard;
import io.delayqueue.web.waiting.LongPolls;
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

/** Auto-configuration of the queue's own HTTP interface, which is served by the application's Spring MVC. */
@AutoConfiguration(after = DelayQueueHttpAutoConfiguration.class)
@ConditionalOnBean(DelayQueueEngine.class)
@ConditionalOnBooleanProperty("delayqueue.http.api.enabled")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
public final class DelayQueueApiAutoConfiguration {

    /** Where there is what serves it. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(DispatcherServlet.class)
    @RegisterReflectionForBinding({
        CancelledAnswer.class,
        DeliveryAnswer.class,
        DeliveryAnswer.Lease.class,
        Failure.class,
        LetterAnswer.class,
        LetterAnswer.Page.class,
        MessageAnswer.class,
        Problem.class,
        PulledAnswer.class,
        PurgedAnswer.class,
        ReplayedAnswer.class,
        SentAllAnswer.class,
        SentAnswer.class
    })
    static final class OnSpringMvc {

        @Bean
        @ConditionalOnMissingBean
        ApiSettings delayQueueApiSettings(DelayQueueProperties properties) {
            var api = properties.http().api();
            return new ApiSettings(api.basePath(), api.maxWait(), api.maxCount(), (int)
                    properties.http().maxBodySize().toBytes());
        }

        @Bean
        ApiWebConfigurer delayQueueApiWebConfigurer(ApiSettings settings, AccessGuard guard) {
            return new ApiWebConfigurer(settings, guard);
        }

        @Bean
        @ConditionalOnMissingBean
        IdempotencyKeys delayQueueIdempotencyKeys(RedisScripts scripts, KeySpace keySpace) {
            return new IdempotencyKeys(scripts, keySpace, new SecureRandom());
        }

        @Bean
        @ConditionalOnMissingBean
        MessageSending delayQueueMessageSending(
                DelayQueueOperations operations, IdempotencyKeys keys, DelayQueueProperties properties) {
            InstantSource clock = InstantSource.system();
            return new MessageSending(
                    operations,
                    keys,
                    new MessageIds(clock, new SecureRandom()),
                    properties.limits().toLimits(),
                    clock);
        }

        @Bean
        MessagesController delayQueueMessagesController(
                MessageSending sending, DelayQueueOperations operations, ApiSettings settings) {
            return new MessagesController(sending, operations, settings);
        }

        @Bean
        Waits delayQueueApiWaits(DelayQueueReceiver receiver) {
            return new Waits(receiver);
        }

        @Bean
        ApiLifecycle delayQueueApiLifecycle(Waits waits) {
            return new ApiLifecycle(waits);
        }

        @Bean
        ReceiveController delayQueueReceiveController(Waits waits, LongPolls polls, ApiSettings settings) {
            return new ReceiveController(waits, polls, settings);
        }

        @Bean
        LeasesController delayQueueLeasesController(Leases leases, DelayQueueProperties properties) {
            return new LeasesController(
                    leases, properties.redis().commandTimeout().multipliedBy(2));
        }

        @Bean
        DeadLettersController delayQueueDeadLettersController(DelayQueueAdmin admin) {
            return new DeadLettersController(admin);
        }

        @Bean
        DocumentController delayQueueDocumentController(
                @Qualifier("requestMappingHandlerMapping") ObjectProvider<RequestMappingHandlerMapping> mapping) {
            return new DocumentController(mapping::getObject);
        }
    }
}
