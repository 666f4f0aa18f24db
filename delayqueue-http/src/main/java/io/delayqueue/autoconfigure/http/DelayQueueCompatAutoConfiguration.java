package io.delayqueue.autoconfigure.http;

import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.autoconfigure.property.HttpProperties;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.event.EventBus;
import io.delayqueue.metrics.observation.SendObserver;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.SendInterceptor;
import io.delayqueue.template.SendLimits;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.web.compat.CompatServlet;
import io.delayqueue.web.compat.CompatSettings;
import io.delayqueue.web.compat.HeldResponseFilter;
import io.delayqueue.web.compat.JobPolls;
import io.delayqueue.web.compat.JobService;
import io.delayqueue.web.compat.ids.IdIndex;
import io.delayqueue.web.compat.ids.IdSweep;
import io.delayqueue.web.compat.ids.TopicCopies;
import io.delayqueue.web.compat.ids.UniqueIds;
import io.delayqueue.web.guard.AccessGuard;
import io.delayqueue.web.waiting.LongPolls;
import io.delayqueue.web.waiting.RequestBodies;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/** Auto-configuration of the HTTP interface of ouqiang/delay-queue for servlet applications. */
@AutoConfiguration(after = {DelayQueueAutoConfiguration.class, DelayQueueHttpAutoConfiguration.class})
@ConditionalOnBean(DelayQueueEngine.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBooleanProperty("delayqueue.http.compat.enabled")
public final class DelayQueueCompatAutoConfiguration {

    private static final Duration MAX_DELAY = Duration.ofSeconds(1L << 31);
    private static final Duration SWEEP_INTERVAL = Duration.ofMinutes(10);

    @Bean
    @ConditionalOnMissingBean
    TopicCopies delayQueueTopicCopies(MessageStore store, TopicRegistry registry, EventBus events) {
        return new TopicCopies(store, registry, events);
    }

    @Bean
    IdIndex delayQueueIdIndex(RedisScripts scripts, KeySpace keySpace) {
        return new IdIndex(scripts, keySpace);
    }

    @Bean
    @ConditionalOnMissingBean
    UniqueIds delayQueueUniqueIds(IdIndex index, TopicCopies copies) {
        return new UniqueIds(index, copies);
    }

    @Bean
    @ConditionalOnMissingBean
    CompatSettings delayQueueCompatSettings(DelayQueueProperties properties) {
        HttpProperties http = properties.http();
        HttpProperties.Compat compat = http.compat();
        return new CompatSettings(
                compat.maxWait(),
                properties.listenerOptions().lease(),
                compat.maxAttempts(),
                compat.contentType(),
                http.maxTopics());
    }

    @Bean
    @ConditionalOnMissingBean
    JobService delayQueueJobService(
            MessageStore store,
            TopicRegistry registry,
            PayloadCodec codec,
            EventBus events,
            ObjectProvider<SendInterceptor> interceptors,
            ObjectProvider<SendObserver> observers,
            DelayQueueEngine engine,
            DelayQueueProperties properties,
            UniqueIds ids,
            CompatSettings settings) {
        List<SendInterceptor> around = interceptors.orderedStream().toList();
        DelayQueueTemplate template = DelayQueueTemplate.builder(store, registry, codec, InstantSource.system())
                .events(events)
                .limits(withLongDelays(properties.limits().toLimits()))
                .commandTimeout(properties.redis().commandTimeout())
                .interceptors(around)
                .build();
        SendObserver observer = observers.getIfAvailable();
        return new JobService(template, registry, ids, () -> executor(engine, around, observer), settings);
    }

    /** Only an interceptor may block. Without one a job is sent by the thread that is at hand. */
    private static Executor executor(
            DelayQueueEngine engine, List<SendInterceptor> interceptors, @Nullable SendObserver observer) {
        if (observer != null) {
            return observer.within(engine::execute);
        }
        return interceptors.isEmpty() ? Runnable::run : engine::execute;
    }

    /** Permits the maximum delay of ouqiang/delay-queue, even if the limit for Java senders is lower. */
    private static SendLimits withLongDelays(SendLimits limits) {
        Duration maxDelay = limits.maxDelay().compareTo(MAX_DELAY) > 0 ? limits.maxDelay() : MAX_DELAY;
        return new SendLimits(
                limits.maxPayloadBytes(),
                limits.maxHeaderBytes(),
                maxDelay,
                limits.maxBatchElements(),
                limits.maxBatchBytes());
    }

    @Bean
    @ConditionalOnMissingBean
    JobPolls delayQueueJobPolls(
            DelayQueueReceiver receiver, JobService jobs, LongPolls polls, CompatSettings settings) {
        return new JobPolls(receiver, jobs, polls, settings);
    }

    @Bean
    IdSweep delayQueueIdSweep(IdIndex index, TopicCopies copies, DelayQueueEngine engine) {
        return new IdSweep(index, copies, SWEEP_INTERVAL, engine.tasks());
    }

    @Bean
    ServletRegistrationBean<CompatServlet> delayQueueCompatServlet(
            AccessGuard guard,
            JobService jobs,
            JobPolls polls,
            RequestBodies bodies,
            CompatSettings settings,
            DelayQueueProperties properties) {
        String base = properties.http().compat().basePath();
        CompatServlet servlet = new CompatServlet(guard, jobs, polls, bodies, settings.contentType(), !base.isEmpty());
        ServletRegistrationBean<CompatServlet> registration =
                new ServletRegistrationBean<>(servlet, paths(base).toArray(String[]::new));
        registration.setName("delayQueueCompat");
        return registration;
    }

    @Bean
    FilterRegistrationBean<HeldResponseFilter> delayQueueCompatHeldResponses(DelayQueueProperties properties) {
        FilterRegistrationBean<HeldResponseFilter> registration =
                new FilterRegistrationBean<>(new HeldResponseFilter());
        registration.setUrlPatterns(paths(properties.http().compat().basePath()));
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
        registration.setName("delayQueueCompatHeldResponses");
        return registration;
    }

    /** Returns the URL patterns of the interface. */
    static List<String> paths(String base) {
        return base.isEmpty() ? CompatServlet.paths() : List.of(base + "/*");
    }
}
