package io.delayqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.annotation.DelayListenerConfigurer;
import io.delayqueue.annotation.DelayListenerEndpoint;
import io.delayqueue.annotation.DelayListenerEndpointRegistrar;
import io.delayqueue.message.DeadLetter;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.HttpsURLConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.stereotype.Component;

/** What a person reads when the application does not start. */
class FailureAnalysisTests {

    private final ApplicationContextRunner properties =
            new ApplicationContextRunner().withUserConfiguration(Bound.class);
    private final ApplicationContextRunner queue = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DelayQueueAutoConfiguration.class, DelayListenerAutoConfiguration.class));
    private final ApplicationContextRunner sound = queue.withConfiguration(AutoConfigurations.of(
            DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class, PayloadConverterAutoConfiguration.class));

    @ParameterizedTest
    @CsvSource({
        "delayqueue.listener.concurency, Did you mean 'delayqueue.listener.concurrency'?",
        "delayqueue.listner.lease, Did you mean 'delayqueue.listener'?",
        "delayqueue.lease, Did you mean 'delayqueue.listener.lease'?",
        "delayqueue.listener.colour, Remove 'delayqueue.listener.colour'. Valid keys of 'delayqueue.listener':",
        "delayqueue.topics[order.cancel].leese, Did you mean 'delayqueue.topics[order.cancel].lease'?",
        "delayqueue.topics.order.cancel.lease, Write it as 'delayqueue.topics[order.cancel].lease'.",
        "delayqueue.topics.order.cancel.shards, Write it as 'delayqueue.topics[order.cancel].shards'.",
        "delayqueue.listener.shards, Remove 'delayqueue.listener.shards'.",
        "delayqueue.forward[0].topik, Did you mean 'delayqueue.forward[0].topic'?",
        "delayqueue.forward[1].colour, Remove 'delayqueue.forward[1].colour'. Valid keys of 'delayqueue.forward[1]':",
        "delayqueue.forward.topic, Write it as 'delayqueue.forward[0]'",
        "delayqueue.namespace.x, Remove 'delayqueue.namespace.x'.",
        "delayqueue.http.clients.shop.token, Did you mean 'delayqueue.http.clients.shop.tokens'?",
    })
    void unknownKeyIsNamedWithWhatMayBeMeant(String key, String action) {
        assertThat(failure(properties.withPropertyValues(key + "=4")))
                .contains("There is no property '" + key + "', but it is set: ", action);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    delayqueue.namespace=a b | delayqueue.namespace must be 1 to 64 letters
                    delayqueue.engine.task-threads=0 | delayqueue.engine.task-threads must be from 1 to 64, but was 0.
                    delayqueue.engine.heartbeat-timeout=1s | delayqueue.engine.heartbeat-timeout must be from 10 s
                    delayqueue.dead-letters.max-age=1ms | delayqueue.dead-letters.max-age must be from 1 s
                    delayqueue.dead-letters.max-count=-1 | delayqueue.dead-letters.max-count must be 0 or more, but was -1.
                    delayqueue.dead-letters.max-size=-1B | delayqueue.dead-letters.max-size must be 0 or more, but was -1.
                    delayqueue.dead-letters.prune-interval=0 | delayqueue.dead-letters.prune-interval must be from
                    delayqueue.limits.max-payload-size=3GB | delayqueue.limits.max-payload-size must be from 1 to
                    delayqueue.limits.max-delay=0 | delayqueue.limits.max-delay must be from 1 s to 1,000 years
                    delayqueue.metrics.forget-topics-after=400d | delayqueue.metrics.forget-topics-after must be 0 for never, or from 1 s to 365 days, but was 400 days
                    delayqueue.metrics.max-topics=-1 | delayqueue.metrics.max-topics must be from 0 to 100000, but was -1
                    delayqueue.metrics.sample-interval=900ms | delayqueue.metrics.sample-interval must be from 1 s to 10 min
                    delayqueue.dashboard.trace-url=https://tracing/{trace} | delayqueue.dashboard.trace-url must contain {traceId}, but was 'https://tracing/{trace}'.
                    delayqueue.dashboard.trace-url=tracing/{traceId} | delayqueue.dashboard.trace-url must begin with https://, http:// or /, but was 'tracing/{traceId}'.
                    delayqueue.dashboard.runbook-url=javascript:alert(1) | delayqueue.dashboard.runbook-url must begin with https://, http:// or /, but was
                    delayqueue.redis.command-timeout=0 | delayqueue.redis.command-timeout must be more than zero
                    delayqueue.redis.reconnect-delay=-1s | delayqueue.redis.reconnect-delay must be more than zero
                    delayqueue.health.max-failing=2h | delayqueue.health.max-failing must be from 1 s to 1 h, but was 2 h.
                    delayqueue.health.max-lag[a.b]=0 | delayqueue.health.max-lag[a.b] must be more than zero, but was 0 s.
                    delayqueue.listener.concurrency=0 | delayqueue.listener.concurrency must be from 1 to 10000, but was 0.
                    delayqueue.listener.lease=2h | delayqueue.listener.handling-time must be at least the lease (2 h), but was
                    delayqueue.listener.backoff=fixed soon | delayqueue.listener.backoff is 'fixed soon', which is not a valid back-off: 'soon' is not a duration
                    delayqueue.listener.backoff=exponential 1s jitter 2 | which is not a valid back-off: jitter must be from 0 to 1,
                    delayqueue.topics[unused].backoff=exponential 1s max 100ms | max must be at least the first delay (1 s), but
                    delayqueue.topics[unused].backoff=fixed 5 | is 'fixed 5', which is not a valid back-off: '5' has no unit
                    delayqueue.topics[unused].lease=10 | delayqueue.topics[unused].lease is '10', which has no unit: write 10s or
                    delayqueue.listener.lease=${no.such:10} | delayqueue.listener.lease is '10', which has no unit: write 10s or
                    delayqueue.engine.sweep=1000 | delayqueue.engine.sweep is '1000', which has no unit: write 1000s or 1000ms.
                    delayqueue.health.max-lag[a.b]=5 | delayqueue.health.max-lag[a.b] is '5', which has no unit
                    delayqueue.http.clients.shop.permissions=read | delayqueue.http.clients.shop.permissions
                    delayqueue.http.clients.shop.permissions=read | PRODUCE
                    delayqueue.http.clients.shop.permissions=produce | delayqueue.http.clients.shop.tokens must have at least one token
                    delayqueue.http.api.max-wait=60 | delayqueue.http.api.max-wait is '60', which has no unit
                    delayqueue.forward[0].send-timeout=30 | delayqueue.forward[0].send-timeout is '30', which has no unit
                    delayqueue.topics[ ].lease=10s | A topic must not be blank
                    delayqueue.listener.not-retryable=java.lang.String | delayqueue.listener.not-retryable must name exceptions
                    delayqueue.topics[a.b].batch-size=501 | delayqueue.topics[a.b].batch-size must be from 1 to 500, but was 501.
                    delayqueue.listener.batch-size=0 | delayqueue.listener.batch-size must be from 1 to 500, but was 0.
                    delayqueue.topics[a.b].prefetch=-1 | delayqueue.topics[a.b].prefetch must be from 0 to 10000, but was -1.
                    delayqueue.topics[a.b].shards=0 | delayqueue.topics[a.b].shards must be 1 to 1,024, but was 0.
                    delayqueue.topics[a.b].durability=2 replicas | delayqueue.topics[a.b].durability must be 'none', or of the form 'replicas 1 within 500ms' or 'fsynced 1 within 2s', but was '2 replicas'.
                    delayqueue.topics[a.b].durability=replicas 0 within 1s | delayqueue.topics[a.b].durability is 'replicas 0 within 1s', but replicas must be from 1 to 100, but was 0.
                    delayqueue.topics[a.b].durability=replicas 1 within 500 | delayqueue.topics[a.b].durability is 'replicas 1 within 500', but '500' has no unit: write 500s or 500ms.
                    delayqueue.topics.a.shards=1025 | delayqueue.topics[a].shards must be 1 to 1,024, but was 1025.
                    delayqueue.shards.on-conflict=ask | delayqueue.shards.on-conflict
                    delayqueue.engine.sweep=soon | delayqueue.engine.sweep
                    delayqueue.forward[0].to=kafka | delayqueue.forward[0].topic must be set to the topic whose messages are forwarded.
                    delayqueue.forward[0].batch-size=5 | delayqueue.forward[0].batch-size must not be set: a forward sends each message
                    delayqueue.forward[0].topic=a | delayqueue.forward[0].to must be set to kafka, rabbitmq, jms, rocketmq,
                    """)
    void badValueIsToldInASentenceThatNamesTheProperty(String property, String sentence) {
        assertThat(failure(properties.withPropertyValues(property))).contains(sentence);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    delayqueue.limits.after-commit-timeout=2h | delayqueue.limits.after-commit-timeout must be from
                    delayqueue.listener.backoff=nobody | delayqueue.listener.backoff is 'nobody', which is neither a back-off
                    delayqueue.topics[unused].backoff=every day | delayqueue.topics[unused].backoff is 'every day', which is neither
                    delayqueue.topics[unused].backoff=delayQueueKeySpace | the name of a RetryPolicy bean: Bean named
                    """)
    void badValueThatABeanRejectsIsTold(String property, String sentence) {
        assertThat(failure(sound.withPropertyValues(property))).contains(sentence);
    }

    @ParameterizedTest
    @CsvSource({
        "delayqueue.forward[1].topic, delayqueue.forward[0]",
        "delayqueue.forward[3].topic, delayqueue.forward[2]",
        "delayqueue.forward[1].not-retryable[0], delayqueue.forward[0]",
        "delayqueue.listener.not-retryable[1], delayqueue.listener.not-retryable[0]",
        "delayqueue.topics[5].not-retryable[2], delayqueue.topics[5].not-retryable[1]",
        "delayqueue.http.clients.shop.tokens[1], delayqueue.http.clients.shop.tokens[0]",
    })
    void gapInAListIsTold(String key, String missing) {
        assertThat(failure(properties.withPropertyValues(key + "=java.io.IOException")))
                .contains("The property '" + key + "' is ignored, but it is set: ")
                .contains(", because element '" + missing + "' of its list is missing.")
                .contains("Number the elements of the list from 0 without a gap: add '" + missing + "'")
                .doesNotContain("There is no property");
    }

    @Test
    void noConnectionFactoryIsTold() {
        assertThat(failure(queue))
                .contains("The delay queue requires a bean of type RedisConnectionFactory, but none was found.")
                .contains("spring.data.redis.host", "delayqueue.enabled=false");
    }

    @ParameterizedTest
    @ValueSource(classes = {TwoFactories.class, TwoMarkedFactories.class})
    void severalConnectionFactoriesWithoutAChoiceAreNamed(Class<?> factories) {
        assertThat(failure(queue.withUserConfiguration(factories)))
                .contains("requires a single bean of type RedisConnectionFactory, but several were found: one,"
                        + " other.")
                .contains("@DelayQueueConnectionFactory", "@Primary");
    }

    @Test
    void missingLettuceIsTold() {
        assertThat(failure(queue.withClassLoader(new FilteredClassLoader("io.lettuce.core"))
                        .withUserConfiguration(OnJedis.class)))
                .contains("The delay queue connects to Redis with Lettuce, which is not on the class path.")
                .contains("io.lettuce:lettuce-core", "spring.data.redis.client-type=jedis");
    }

    @Test
    void settingOfJedisWithoutACounterpartIsNamed() {
        assertThat(failure(queue.withUserConfiguration(OnJedis.class)))
                .contains("The delay queue cannot derive its connections from the connection factory 'jedis': its"
                        + " SSLSocketFactory has no counterpart in Lettuce, with which the delay queue connects.")
                .contains(
                        "Remove the setting, or define a LettuceConnectionFactory bean",
                        "@DelayQueueConnectionFactory");
    }

    @ParameterizedTest
    @CsvSource({
        "OfAnotherLibrary, and no property of spring.data.redis names a server",
        "MarkedOfAnotherLibrary, Instead"
    })
    void factoryOfAnotherLibraryWithoutAServerIsNamed(String configuration, String part) throws Exception {
        Class<?> factory = Class.forName(getClass().getName() + "$" + configuration);
        assertThat(failure(queue.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
                        .withUserConfiguration(factory)))
                .contains("cannot derive its connections from the connection factory 'theirs' of type ")
                .contains(part, "@DelayQueueConnectionFactory");
    }

    @Test
    void twoListenersWithOneIdAreNamed() {
        assertThat(failure(sound.withUserConfiguration(SameId.class)))
                .contains("The listener of 'failureAnalysisTests.SameId' ", "SameId.second(String)")
                .contains("The id 'mine' is already used", "SameId.first(String)")
                .contains("Give one of them another id.");
    }

    @Test
    void wrongParameterTypeIsTold() {
        assertThat(failure(sound.withUserConfiguration(WrongParameter.class)))
                .contains("The listener of 'failureAnalysisTests.WrongParameter' ", "handle(DeadLetter)")
                .contains("It takes a DeadLetter, which is available only to listeners of dead letters.")
                .contains("Annotate it with @DeadLetterListener, or remove the parameter.");
    }

    @Test
    void listenerByCodeIsNamedOnceAndItsMistakeOnce() {
        assertThat(failure(sound.withUserConfiguration(ByCode.class)))
                .contains("The listener 'coded' is declared incorrectly:")
                .contains("Its topic or one of its options is wrong: lease must be from")
                .doesNotContain("incorrectly: It can't");
    }

    @Test
    void listenerOnAPrototypeIsTold() {
        assertThat(failure(sound.withUserConfiguration(Prototype.class)))
                .contains("The listener of 'failureAnalysisTests.Prototype' ", "Prototype.handle(String)")
                .contains("Its bean is not a singleton: no listener would run until an instance is created")
                .contains("Make the bean a singleton, or give its scope a proxy (proxyMode).");
    }

    /** Returns what the failure analyzers say. RedisSettingsTests shows that Spring Boot prints it. */
    private static String failure(ApplicationContextRunner application) {
        AtomicReference<ConfigurableApplicationContext> started = new AtomicReference<>();
        AtomicReference<FailureAnalysis> analysis = new AtomicReference<>();
        application
                .withInitializer(started::set)
                .run(context -> analysis.set(analyze(context.getStartupFailure(), started.get())));
        return analysis.get().getDescription() + "\n" + analysis.get().getAction();
    }

    private static FailureAnalysis analyze(Throwable failure, ConfigurableApplicationContext context) {
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(
                        FailureAnalyzer.class,
                        ArgumentResolver.of(BeanFactory.class, context.getBeanFactory())
                                .and(Environment.class, context.getEnvironment()))
                .stream()
                .map(analyzer -> analyzer.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no analysis", failure));
    }

    /** Binds the properties only. */
    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(DelayQueueProperties.class)
    static class Bound {

        @Bean
        static DurationUnitCheck durationUnitCheck() {
            return new DurationUnitCheck();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoFactories {

        @Bean
        RedisConnectionFactory one() {
            return new LettuceConnectionFactory();
        }

        @Bean
        RedisConnectionFactory other() {
            return new LettuceConnectionFactory();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnJedis {

        @Bean
        JedisConnectionFactory jedis() {
            return new JedisConnectionFactory(
                    new RedisStandaloneConfiguration(),
                    JedisClientConfiguration.builder()
                            .useSsl()
                            .sslSocketFactory(HttpsURLConnection.getDefaultSSLSocketFactory())
                            .build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfAnotherLibrary {

        @Bean
        RedisConnectionFactory theirs() {
            return mock(RedisConnectionFactory.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MarkedOfAnotherLibrary {

        @Bean
        @DelayQueueConnectionFactory
        RedisConnectionFactory theirs() {
            return mock(RedisConnectionFactory.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoMarkedFactories {

        @Bean
        @DelayQueueConnectionFactory
        RedisConnectionFactory one() {
            return new LettuceConnectionFactory();
        }

        @Bean
        @DelayQueueConnectionFactory
        RedisConnectionFactory other() {
            return new LettuceConnectionFactory();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SameId {

        @DelayListener(topic = "a", id = "mine")
        void first(String text) {}

        @DelayListener(topic = "b", id = "mine")
        void second(String text) {}
    }

    @Component
    @Scope("prototype")
    static class Prototype {

        @DelayListener("a")
        void handle(String text) {}
    }

    @Component
    static class ByCode implements DelayListenerConfigurer {

        @Override
        public void configureDelayListeners(DelayListenerEndpointRegistrar registrar) {
            registrar.register(DelayListenerEndpoint.to("a")
                    .id("coded")
                    .handler(String.class, (text, delivery) -> {})
                    .options(options -> options.lease(Duration.ZERO))
                    .build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WrongParameter {

        @DelayListener("a")
        void handle(DeadLetter deadLetter) {}
    }
}
