package io.delayqueue.autoconfigure;

import io.delayqueue.admin.DeclaredSchedules;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.annotation.DefaultDelayListenerContainerFactory;
import io.delayqueue.annotation.DelayListenerAnnotationBeanPostProcessor;
import io.delayqueue.annotation.DelayListenerConfigurer;
import io.delayqueue.annotation.DelayListenerEndpointRegistrar;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.autoconfigure.failure.StartFailedException;
import io.delayqueue.autoconfigure.property.ListenerLevels;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.convert.ListenerTypes;
import io.delayqueue.listener.DeadLetterSource;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.Printable;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.template.DelayQueueSchedules;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.messaging.handler.annotation.support.MessageHandlerMethodFactory;

/** Auto-configuration of {@code @DelayListener} and {@code @DeadLetterListener}. */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class)
@ConditionalOnClass(MessageHandlerMethodFactory.class)
@ConditionalOnBean(DelayQueueEngine.class)
public final class DelayListenerAutoConfiguration {

    @Bean
    static DelayListenerAnnotationBeanPostProcessor delayListenerAnnotationBeanPostProcessor(
            ConfigurableListableBeanFactory beans) {
        return new DelayListenerAnnotationBeanPostProcessor(beans);
    }

    /**
     * Creates beans with listeners even if beans are lazy. A lazy bean would never be created, and its listeners would
     * not start.
     */
    @Bean
    static LazyInitializationExcludeFilter delayListenerLazyInitializationExcludeFilter() {
        return (beanName, definition, type) ->
                type != null && DelayListenerAnnotationBeanPostProcessor.isListenerType(type);
    }

    @Bean
    DelayListenerConfigurer delayListenerPayloadValidation(ListableBeanFactory beans) {
        return new PayloadValidation(beans);
    }

    /** Checks all listener properties, including unused ones, and the beans that they name. */
    @Bean
    DelayListenerConfigurer delayListenerPropertyCheck(DelayQueueProperties properties, BeanFactory beans) {
        return registrar -> properties.listenerLevels(beans).check();
    }

    @Bean
    @ConditionalOnMissingBean
    DelayListenerRegistry delayListenerRegistry(DelayQueueProperties properties) {
        return new DelayListenerRegistry(properties.listener().autoStartup());
    }

    /** The sends of this process know what its listeners take. */
    @Bean
    ListenerTypes delayQueueListenerTypes(DelayListenerRegistry registry) {
        return registry::payloadTypes;
    }

    @Bean
    @ConditionalOnBean(DelayQueueSchedules.class)
    @ConditionalOnMissingBean
    DeclaredSchedules delayQueueDeclaredSchedules(
            RedisScripts scripts,
            KeySpace keySpace,
            DelayQueueSchedules schedules,
            DelayListenerRegistry registry,
            DelayQueueEngine engine) {
        return new DeclaredSchedules(scripts, keySpace, schedules, registry::schedules, engine::execute);
    }

    /** Stores the schedules of listeners while the application runs. */
    @Bean
    LifecycleAction delayQueueDeclaring(
            ObjectProvider<DeclaredSchedules> declared, DelayListenerRegistry registry, DelayQueueEngine engine) {
        return new LifecycleAction(
                SmartLifecycle.DEFAULT_PHASE,
                true,
                () -> start(declared.getIfAvailable(), registry, engine),
                () -> declared.ifAvailable(DeclaredSchedules::stop));
    }

    private static void start(
            @Nullable DeclaredSchedules declared, DelayListenerRegistry registry, DelayQueueEngine engine) {
        if (declared != null) {
            declared.start(engine.tasks());
        } else if (!registry.schedules().isEmpty()) {
            throw new StartFailedException(
                    "Listener " + Printable.of(registry.schedules().get(0).id())
                            + " has cron, but there is no DelayQueueSchedules bean.",
                    "Define one, or remove cron.");
        }
    }

    @Bean
    @ConditionalOnMissingBean
    DeadLetterSource delayQueueDeadLetterSource(DelayQueueAdmin admin) {
        return admin::deadLetter;
    }

    @Bean(DelayListenerEndpointRegistrar.DEFAULT_CONTAINER_FACTORY)
    @ConditionalOnMissingBean(name = DelayListenerEndpointRegistrar.DEFAULT_CONTAINER_FACTORY)
    DefaultDelayListenerContainerFactory delayListenerContainerFactory(
            DelayQueueEngine engine,
            DelayQueueProperties properties,
            DeadLetterSource deadLetters,
            BeanFactory beans,
            Environment environment) {
        ShutdownPhase phase = ShutdownPhase.of(environment);
        ListenerLevels levels = properties.listenerLevels(beans);
        ListenerOptions defaults = levels.defaults();
        return new DefaultDelayListenerContainerFactory(
                spec -> engine.newContainer(phase.limitDrainTime(spec)), defaults, levels::ofTopic, deadLetters);
    }
}
