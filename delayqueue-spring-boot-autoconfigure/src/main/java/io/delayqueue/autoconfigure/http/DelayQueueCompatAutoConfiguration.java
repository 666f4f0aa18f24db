package io.delayqueue.autoconfigure.http;

import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.autoconfigure.property.HttpProperties;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.event.EventBus;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.ids.IdSweep;
import io.delayqueue.store.ids.UniqueIds;
import io.delayqueue.store.script.TopicCopies;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.SendInterceptor;
import io.delayqueue.template.SendLimits;
import io.delayqueue.template.pull.DelayQueueReceiver;
import io.delayqueue.web.compat.CompatServlet;
import io.delayqueue.web.compat.CompatSettings;
import io.delayqueue.web.compat.JobDesk;
import io.delayqueue.web.compat.JobPolls;
import io.delayqueue.web.compat.RawBodyFilter;
import io.delayqueue.web.guard.AccessGuard;
import io.delayqueue.web.waiting.LongPolls;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
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

/** Auto-configuration of the interface of ouqiang/delay-queue, on servlet stacks. */
@AutoConfiguration(after = {DelayQueueAutoConfiguration.class, DelayQueueHttpAutoConfiguration.class})
@ConditionalOnBean(DelayQueueEngine.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBooleanProperty("delayqueue.http.compat.enabled")
public final class DelayQueueCompatAutoConfiguration {

    private static final Duration LONGEST_DELAY = Duration.ofSeconds(1L << 31);
    private static final Duration SWEEP_INTERVAL = Duration.ofMinutes(10);

    @Bean
    @ConditionalOnMissingBean
    TopicCopies delayQueueTopicCopies(RedisScripts scripts, KeySpace keySpace, TopicRegistry registry) {
        return new TopicCopies(scripts, keySpace, registry);
    }

    @Bean
    @ConditionalOnMissingBean
    UniqueIds delayQueueUniqueIds(RedisScripts scripts, KeySpace keySpace, TopicCopies copies, EventBus events) {
        return new UniqueIds(scripts, keySpace, copies, events);
    }

    @Bean
    @ConditionalOnMissingBean
    CompatSettings delayQueueCompatSettings(DelayQueueProperties properties) {
        HttpProperties http = properties.http();
        HttpProperties.Compat compat = http.compat();
        return new CompatSettings(
                (int) http.maxBodySize().toBytes(),
                compat.maxWait(),
                properties.listener().lease(),
                compat.maxAttempts(),
                compat.contentType());
    }

    @Bean
    @ConditionalOnMissingBean
    JobDesk delayQueueJobDesk(
            MessageStore store,
            TopicRegistry registry,
            PayloadCodec codec,
            EventBus events,
            ObjectProvider<SendInterceptor> interceptors,
            DelayQueueEngine engine,
            DelayQueueProperties properties,
            UniqueIds ids,
            CompatSettings settings) {
        DelayQueueTemplate template = DelayQueueTemplate.builder(store, registry, codec, InstantSource.system())
                .events(events)
                .limits(withLongDelays(properties.limits().toLimits()))
                .commandTimeout(properties.redis().commandTimeout())
                .interceptors(interceptors.orderedStream().toList())
                .build();
        return new JobDesk(template, ids, engine::execute, settings);
    }

    /** What clients may ask for, whatever holds for Java. */
    private static SendLimits withLongDelays(SendLimits limits) {
        Duration longest = limits.maxDelay().compareTo(LONGEST_DELAY) > 0 ? limits.maxDelay() : LONGEST_DELAY;
        return new SendLimits(
                limits.maxPayloadBytes(),
                limits.maxHeaderBytes(),
                longest,
                limits.maxBatchElements(),
                limits.maxBatchBytes());
    }

    @Bean
    @ConditionalOnMissingBean
    JobPolls delayQueueJobPolls(DelayQueueReceiver receiver, JobDesk desk, LongPolls polls, CompatSettings settings) {
        return new JobPolls(receiver, desk, polls, settings);
    }

    @Bean
    CompatLifecycle delayQueueCompatLifecycle(
            JobPolls polls,
            RedisScripts scripts,
            KeySpace keySpace,
            TopicCopies copies,
            EventBus events,
            DelayQueueEngine engine) {
        IdSweep sweep = new IdSweep(scripts, keySpace, copies, events, SWEEP_INTERVAL);
        return new CompatLifecycle(polls, sweep, engine.steps());
    }

    @Bean
    ServletRegistrationBean<CompatServlet> delayQueueCompatServlet(
            AccessGuard guard, JobDesk desk, JobPolls polls, CompatSettings settings, DelayQueueProperties properties) {
        String base = properties.http().compat().basePath();
        CompatServlet servlet = new CompatServlet(guard, desk, polls, settings, !base.isEmpty());
        ServletRegistrationBean<CompatServlet> registration =
                new ServletRegistrationBean<>(servlet, paths(base).toArray(String[]::new));
        registration.setName("delayQueueCompat");
        return registration;
    }

    @Bean
    FilterRegistrationBean<RawBodyFilter> delayQueueCompatRawBody(DelayQueueProperties properties) {
        FilterRegistrationBean<RawBodyFilter> registration = new FilterRegistrationBean<>(new RawBodyFilter());
        registration.setUrlPatterns(paths(properties.http().compat().basePath()));
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
        registration.setName("delayQueueCompatRawBody");
        return registration;
    }

    private static List<String> paths(String base) {
        return base.isEmpty() ? CompatServlet.paths() : List.of(base + "/*");
    }
}
