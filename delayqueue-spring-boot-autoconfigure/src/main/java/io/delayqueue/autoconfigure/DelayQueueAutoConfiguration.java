package io.delayqueue.autoconfigure;

import io.delayqueue.admin.AuditLog;
import io.delayqueue.admin.ConfiguredTopics;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.DelayQueueJobs;
import io.delayqueue.admin.OverdueSchedules;
import io.delayqueue.admin.OverdueSchedules.Overdue;
import io.delayqueue.admin.UnconsumedTopics;
import io.delayqueue.admin.UnconsumedWarnings;
import io.delayqueue.admin.diagnosis.QueueDiagnosis;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.autoconfigure.failure.InvalidPropertyException;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.container.EngineBuilder;
import io.delayqueue.container.EngineSettings;
import io.delayqueue.convert.ListenerTypes;
import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.convert.PayloadConverter;
import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.coordination.ReceivedLeases;
import io.delayqueue.coordination.ThroughputReporter;
import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.EventBus;
import io.delayqueue.listener.DeliveryInterceptor;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.QueueConnections;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.redis.RedisSignals;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.Purge;
import io.delayqueue.store.script.Recurrences;
import io.delayqueue.store.script.RedisMessageStore;
import io.delayqueue.store.script.ShardReader;
import io.delayqueue.store.script.TopicDeletion;
import io.delayqueue.store.script.TopicLimiter;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.CommitOutbox;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.DelayQueueSchedules;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.DelayQueueTemplateBuilder;
import io.delayqueue.template.SendInterceptor;
import io.delayqueue.template.receive.DefaultDelayQueueReceiver;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.Leases;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.thread.Threading;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Auto-configuration of the delay queue: sending, receiving, administration, and the engine that runs listeners. The
 * beans connect to Redis when they are first used.
 */
@AutoConfiguration(after = {DataRedisAutoConfiguration.class, PayloadConverterAutoConfiguration.class})
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
@EnableConfigurationProperties(DelayQueueProperties.class)
@ImportRuntimeHints(DelayQueueRuntimeHints.class)
public final class DelayQueueAutoConfiguration {

    @Bean
    static DurationUnitCheck delayQueueDurationUnitCheck() {
        return new DurationUnitCheck();
    }

    @Bean
    static EnvironmentKeysCheck delayQueueEnvironmentKeysCheck() {
        return new EnvironmentKeysCheck();
    }

    @Bean
    OptionalModules delayQueueOptionalModules(DelayQueueProperties properties) {
        return new OptionalModules(properties);
    }

    @Bean
    @ConditionalOnMissingBean
    KeySpace delayQueueKeySpace(DelayQueueProperties properties) {
        return new KeySpace(properties.namespace());
    }

    @Bean
    @ConditionalOnMissingBean
    QueueClock delayQueueClock() {
        return new QueueClock(InstantSource.system());
    }

    @Bean
    @ConditionalOnMissingBean
    QueueConnections delayQueueConnections(
            @DelayQueueConnectionFactory ObjectProvider<RedisConnectionFactory> marked,
            ObjectProvider<RedisConnectionFactory> any,
            ConfigurableListableBeanFactory beans,
            DelayQueueProperties properties) {
        return new ConnectionFactoryChoice(marked, any, beans)
                .derive(properties.redis().toSettings());
    }

    @Bean
    @ConditionalOnMissingBean
    RedisScripts delayQueueScripts(QueueConnections connections, EventBus events) {
        return new RedisScripts(
                connections, (script, failure) -> events.publish(listener -> listener.redisFailed(script, failure)));
    }

    @Bean
    @ConditionalOnMissingBean
    TopicRegistry delayQueueTopicRegistry(RedisScripts scripts, KeySpace keySpace, DelayQueueProperties properties) {
        return new TopicRegistry(scripts, keySpace, properties.toShardPlan(), properties.toTopicLimits());
    }

    @Bean
    @ConditionalOnMissingBean
    MessageStore delayQueueMessageStore(RedisScripts scripts, KeySpace keySpace, TopicRegistry registry) {
        return new RedisMessageStore(scripts, keySpace, registry);
    }

    @Bean
    @ConditionalOnMissingBean
    EventBus delayQueueEventBus() {
        return EventBus.closed();
    }

    /** Connects the listeners when all beans exist, so that they may inject what publishes the events. */
    @Bean
    @Lazy(false)
    SmartInitializingSingleton delayQueueEventListeners(EventBus events, ObjectProvider<DelayQueueEvents> listeners) {
        return () -> events.open(listeners.orderedStream().toList());
    }

    @Bean
    @ConditionalOnMissingBean
    PayloadConverter delayQueueMissingPayloadConverter() {
        return new MissingPayloadConverter();
    }

    @Bean
    @ConditionalOnMissingBean
    PayloadCodec delayQueuePayloadCodec(ObjectProvider<PayloadConverter> converter) {
        return new PayloadCodec(new OnFirstUse<>(converter::getObject));
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    DelayQueueEngine delayQueueEngine(
            QueueConnections connections,
            RedisScripts scripts,
            KeySpace keySpace,
            MessageStore store,
            TopicRegistry registry,
            PayloadCodec codec,
            EventBus events,
            ObjectProvider<DeliveryInterceptor> interceptors,
            ObjectProvider<EngineCustomizer> customizers,
            DelayQueueProperties properties,
            Environment environment) {
        EngineSettings settings = properties.engine().toSettings(properties.deadLetters());
        String node = EngineBuilder.newNode();
        // more than two heartbeats, so that one lost canary changes nothing
        Duration signalValidity = settings.heartbeat().multipliedBy(5).dividedBy(2);
        RedisSignals signals = new RedisSignals(connections, keySpace, node, signalValidity, System::nanoTime);
        EngineBuilder engine = DelayQueueEngine.builder()
                .node(node)
                .redis(scripts, keySpace)
                .store(store, registry)
                .signals(signals)
                .settings(settings)
                .countByHeader(properties.metrics().countByHeader())
                .converter(codec)
                .interceptors(new ExtensionBeans<>(interceptors))
                .events(events);
        if (Threading.VIRTUAL.isActive(environment)) {
            engine.virtualThreads();
        }
        customizers.orderedStream().forEach(customizer -> customizer.customize(engine));
        return engine.build();
    }

    @Bean
    @ConditionalOnMissingBean(DelayQueueOperations.class)
    DelayQueueTemplate delayQueueTemplate(
            MessageStore store,
            TopicRegistry registry,
            PayloadCodec codec,
            EventBus events,
            ObjectProvider<SendInterceptor> interceptors,
            ObjectProvider<DelayQueueEngine> engine,
            ObjectProvider<CommitOutbox> outbox,
            ObjectProvider<ListenerTypes> listenerTypes,
            DelayQueueProperties properties,
            QueueClock clock) {
        Supplier<ListenerTypes> types = new OnFirstUse<>(() -> listenerTypes.getIfAvailable(() -> topic -> List.of()));
        DelayQueueTemplateBuilder template = DelayQueueTemplate.builder(store, registry, codec, clock.source())
                .events(events)
                .limits(properties.limits().toLimits())
                .commandTimeout(properties.redis().commandTimeout())
                .durability(properties.toDurability())
                .completions(new EngineExecutor(engine))
                .outbox(new OnFirstUse<>(outbox::getIfAvailable))
                .nonBlockingThread(ReactorThreads::currentIsNonBlocking)
                .listenerTypes(topic -> types.get().of(topic))
                .onFailedReadBack(properties.payload().onFailedReadBack())
                .interceptors(new ExtensionBeans<>(interceptors));
        return InvalidPropertyException.check(
                "delayqueue.limits",
                () -> template.afterCommitTimeout(properties.limits().afterCommitTimeout())
                        .build());
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnSingleCandidate(DelayQueueTemplate.class)
    DelayQueueSchedules delayQueueSchedules(
            DelayQueueTemplate template,
            TopicRegistry registry,
            RedisScripts scripts,
            KeySpace keySpace,
            QueueClock clock) {
        return new DelayQueueSchedules(
                template, registry, new Recurrences(scripts, keySpace, registry), clock.source());
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean(DelayQueueReceiver.class)
    DefaultDelayQueueReceiver delayQueueReceiver(
            MessageStore store,
            TopicRegistry registry,
            PayloadCodec codec,
            DelayQueueEngine engine,
            EventBus events,
            DelayQueueProperties properties) {
        return DefaultDelayQueueReceiver.builder(store, registry, codec, engine.signals(), engine.tasks())
                .events(events)
                .settings(properties.toReceiveSettings())
                .durability(properties.toDurability())
                .lease(properties.toLease())
                .nanoTime(engine.nanoTime())
                .completions(engine::execute)
                .addConsumer(engine::addConsumer)
                .build();
    }

    @Bean
    @ConditionalOnBean(DefaultDelayQueueReceiver.class)
    @ConditionalOnMissingBean
    Leases delayQueueLeases(DefaultDelayQueueReceiver receiver) {
        return receiver.leases();
    }

    @Bean
    @ConditionalOnMissingBean
    NodeDirectory delayQueueNodeDirectory(RedisScripts scripts, KeySpace keySpace, DelayQueueProperties properties) {
        return new NodeDirectory(scripts, keySpace, properties.engine().heartbeatTimeout());
    }

    @Bean
    @ConditionalOnMissingBean
    ShardReader delayQueueShardReader(RedisScripts scripts, KeySpace keySpace, TopicRegistry registry) {
        return new ShardReader(scripts, keySpace, registry);
    }

    @Bean
    @ConditionalOnMissingBean
    TopicDeletion delayQueueTopicDeletion(RedisScripts scripts, KeySpace keySpace, TopicRegistry registry) {
        return new TopicDeletion(scripts, keySpace, registry);
    }

    @Bean
    @ConditionalOnMissingBean
    TopicLimiter delayQueueTopicLimiter(RedisScripts scripts, KeySpace keySpace, TopicRegistry registry) {
        return new TopicLimiter(scripts, keySpace, registry);
    }

    @Bean
    @ConditionalOnMissingBean
    DelayQueueAdmin delayQueueAdmin(
            MessageStore store,
            TopicRegistry registry,
            EventBus events,
            DelayQueueProperties properties,
            TopicDeletion deletion,
            NodeDirectory nodes,
            TopicLimiter limiter,
            QueueClock clock) {
        return new DelayQueueAdmin(
                store, registry, events, properties.limits().toLimits(), clock.source(), deletion, nodes, limiter);
    }

    /** Is created even if beans are lazy, because it runs the jobs that are assigned to this node. */
    @Bean
    @Lazy(false)
    @ConditionalOnMissingBean
    DelayQueueJobs delayQueueJobs(
            RedisScripts scripts,
            KeySpace keySpace,
            MessageStore store,
            ShardReader reader,
            TopicRegistry registry,
            NodeDirectory nodes,
            DelayQueueEngine engine,
            EventBus events,
            DelayQueueProperties properties,
            QueueClock clock) {
        return new DelayQueueJobs(
                scripts,
                keySpace,
                store,
                reader,
                registry,
                nodes,
                engine,
                events,
                properties.limits().toLimits(),
                clock.source());
    }

    @Bean
    @ConditionalOnMissingBean
    AuditLog delayQueueAuditLog(EventBus events) {
        return new AuditLog(events);
    }

    @Bean
    @ConditionalOnMissingBean
    DelayQueueInspector delayQueueInspector(
            MessageStore store, ShardReader reader, TopicRegistry registry, NodeDirectory nodes) {
        return new DelayQueueInspector(store, reader, registry, nodes);
    }

    @Bean
    UnconsumedWarnings delayQueueUnconsumedWarnings(ListableBeanFactory beans) {
        return new UnconsumedWarnings(() -> listenedTopics(beans), System::nanoTime);
    }

    /** Logs topics that nothing consumes, while the application runs. */
    @Bean
    LifecycleAction delayQueueUnconsumedTopics(
            DelayQueueInspector inspector, EventBus events, DelayQueueEngine engine, UnconsumedWarnings warnings) {
        UnconsumedTopics topics = new UnconsumedTopics(inspector, warnings, System::nanoTime);
        events.add(topics);
        return new LifecycleAction(
                SmartLifecycle.DEFAULT_PHASE,
                true,
                () -> topics.schedule(engine.tasks(), "unconsumed topics"),
                topics::cancel);
    }

    /** Reports what this process sends and receives, and the holders of its old leases, while the application runs. */
    @Bean
    LifecycleAction delayQueueThroughput(
            RedisScripts scripts,
            KeySpace keySpace,
            EventBus events,
            DelayQueueEngine engine,
            ObjectProvider<DefaultDelayQueueReceiver> receiver) {
        DefaultDelayQueueReceiver present = receiver.getIfAvailable();
        ThroughputReporter reporter = new ThroughputReporter(
                scripts,
                keySpace,
                engine.node(),
                present == null ? ReceivedLeases.NONE : present.givenLeases(),
                System::nanoTime);
        events.add(reporter);
        return new LifecycleAction(
                SmartLifecycle.DEFAULT_PHASE,
                true,
                () -> reporter.schedule(engine.tasks(), "throughput"),
                reporter::cancel);
    }

    private static List<String> listenedTopics(ListableBeanFactory beans) {
        return beans.getBeanProvider(DelayListenerRegistry.class).stream()
                .flatMap(registry -> registry.getContainers().stream())
                .map(ManagedListener::topic)
                .toList();
    }

    /** Logs entries of delayqueue.topics whose names may be mistyped. */
    @Bean
    LifecycleAction delayQueueConfiguredTopics(
            DelayQueueProperties properties,
            TopicRegistry registry,
            DelayQueueEngine engine,
            ListableBeanFactory beans) {
        ConfiguredTopics topics = new ConfiguredTopics(
                properties.topics().keySet(), registry, () -> listenedTopics(beans), System::nanoTime);
        return new LifecycleAction(
                SmartLifecycle.DEFAULT_PHASE,
                false,
                () -> {
                    if (!properties.topics().isEmpty()) {
                        topics.schedule(engine.tasks(), "configured topics");
                    }
                },
                topics::cancel);
    }

    @Bean
    @ConditionalOnMissingBean
    QueueDiagnosis delayQueueDiagnosis(
            DelayQueueProperties properties,
            ObjectProvider<CommitOutbox> outbox,
            ObjectProvider<OverdueSchedules> overdue,
            QueueClock clock) {
        return new QueueDiagnosis(
                properties.health().toLimits(properties.redis()),
                properties.engine().heartbeat(),
                clock.source(),
                () -> {
                    CommitOutbox present = outbox.getIfAvailable();
                    return present == null ? null : present.state();
                },
                properties.health().maxOutboxAge(),
                properties.toTopicLimits(),
                new Purge.Retention(
                        properties.deadLetters().maxAge(),
                        properties.deadLetters().maxCount(),
                        properties.deadLetters().maxSize().toBytes()),
                topic -> {
                    OverdueSchedules present = overdue.getIfAvailable();
                    return present == null ? Overdue.NONE : present.of(topic);
                });
    }
}
