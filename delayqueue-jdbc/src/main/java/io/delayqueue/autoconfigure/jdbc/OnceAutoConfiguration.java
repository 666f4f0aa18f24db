package io.delayqueue.autoconfigure.jdbc;

import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.autoconfigure.DelayListenerAutoConfiguration;
import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.autoconfigure.LifecycleAction;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.event.EventBus;
import io.delayqueue.jdbc.DelayQueueDataSource;
import io.delayqueue.jdbc.once.HandledRetention;
import io.delayqueue.jdbc.once.OnceListeners;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.transaction.PlatformTransactionManager;

/** Auto-configuration of listeners with {@code once}. */
@AutoConfiguration(
        after = {DelayListenerAutoConfiguration.class, OutboxAutoConfiguration.class},
        afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnBean(DelayListenerRegistry.class)
@ImportRuntimeHints(OnceAutoConfiguration.Scripts.class)
public final class OnceAutoConfiguration {

    @Bean
    OnceListeners delayQueueOnceListeners(
            @DelayQueueDataSource ObjectProvider<DataSource> marked,
            ObjectProvider<DataSource> sources,
            @DelayQueueDataSource ObjectProvider<PlatformTransactionManager> markedManager,
            ObjectProvider<PlatformTransactionManager> managers,
            ConfigurableBeanFactory beans,
            EventBus events,
            DelayQueueProperties properties) {
        return new OnceListeners(
                new MarkedBean<>(marked, sources)::find,
                new MarkedBean<>(markedManager, managers)::find,
                beans,
                events,
                properties.once().table(),
                properties.once().retention());
    }

    /** Stops after the listeners. */
    @Bean
    LifecycleAction delayQueueHandledRetention(
            OnceListeners listeners,
            DelayQueueEngine engine,
            ObjectProvider<DelayListenerRegistry> registry,
            DelayQueueProperties properties) {
        HandledRetention retention = HandledRetention.of(
                listeners,
                engine,
                properties.once().retention(),
                properties.once().cleanUpInterval());
        return new LifecycleAction(
                DelayListenerRegistry.PHASE - 1, true, () -> retention.start(registry.getObject()), retention::stop);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(DataSource.class)
    @Nullable
    SchemaInitializer delayQueueSchemaInitializer(
            @DelayQueueDataSource ObjectProvider<DataSource> marked,
            ObjectProvider<DataSource> sources,
            DelayQueueProperties properties) {
        DataSource source = new MarkedBean<>(marked, sources).find();
        return source == null ? null : new SchemaInitializer(source, DatabaseConfiguration.mode(properties));
    }

    /** The listeners start without a dependency on this bean. */
    @Bean
    static LazyInitializationExcludeFilter delayQueueSchemaLazyInitializationExcludeFilter() {
        return LazyInitializationExcludeFilter.forBeanTypes(SchemaInitializer.class, LifecycleAction.class);
    }

    /** Adds the scripts of the schema to a native image. */
    static final class Scripts implements RuntimeHintsRegistrar {

        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
            hints.resources().registerPattern("io/delayqueue/jdbc/*.sql");
        }
    }
}
