package io.delayqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.message.DeadLetter;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** What a person reads when the application does not start. */
@ExtendWith(OutputCaptureExtension.class)
class FailureAnalysisTests {

    @ParameterizedTest
    @CsvSource({
        "delayqueue.listener.concurency, Did you mean 'delayqueue.listener.concurrency'?",
        "delayqueue.listner.lease, Did you mean 'delayqueue.listener'?",
        "delayqueue.lease, Did you mean 'delayqueue.listener.lease'?",
        "delayqueue.listener.colour, Remove 'delayqueue.listener.colour'. Below 'delayqueue.listener' there are:",
        "delayqueue.topics[order.cancel].leese, Did you mean 'delayqueue.topics[order.cancel].lease'?",
        "delayqueue.topics.order.cancel.lease, Write it as 'delayqueue.topics[order.cancel].lease'.",
        "delayqueue.topics.order.cancel.shards, Write it as 'delayqueue.topics[order.cancel].shards'.",
        "delayqueue.listener.shards, Remove 'delayqueue.listener.shards'.",
        "delayqueue.forward[0].topik, Did you mean 'delayqueue.forward[0].topic'?",
        "delayqueue.forward[1].colour, Remove 'delayqueue.forward[1].colour'. Below 'delayqueue.forward[1]' there are:",
        "delayqueue.forward.topic, Write it as 'delayqueue.forward[0]'",
        "delayqueue.namespace.x, Remove 'delayqueue.namespace.x'.",
    })
    void unknownKeyIsNamedWithWhatMayBeMeant(String key, String action, CapturedOutput output) {
        fails(key + "=4", Sound.class);
        assertThat(output).contains("There is no property '" + key + "', but it is set: ", action);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "delayqueue.namespace=a b | delayqueue.namespace is 1 to 64 letters",
                "delayqueue.engine.step-threads=0 | delayqueue.engine.step-threads is between 1 and 64, but is 0.",
                "delayqueue.engine.heartbeat-timeout=1s | delayqueue.engine.heartbeat-timeout is between PT10S",
                "delayqueue.dead-letters.max-age=1ms | delayqueue.dead-letters.max-age is between PT1S",
                "delayqueue.dead-letters.max-count=-1 | delayqueue.dead-letters.max-count is 0 or more, but is -1.",
                "delayqueue.dead-letters.prune-interval=0 | delayqueue.dead-letters.prune-interval is between",
                "delayqueue.limits.max-payload-size=3GB | delayqueue.limits.max-payload-size is between 1 and",
                "delayqueue.limits.max-delay=0 | delayqueue.limits.max-delay is between 1 s and 1,000 years",
                "delayqueue.limits.after-commit-timeout=2h | delayqueue.limits.after-commit-timeout is between",
                "delayqueue.metrics.sample-interval=900ms | delayqueue.metrics.sample-interval is between PT1S and PT10M",
                "delayqueue.redis.command-timeout=0 | delayqueue.redis.command-timeout is more than zero",
                "delayqueue.redis.reconnect-delay=-1s | delayqueue.redis.reconnect-delay is more than zero",
                "delayqueue.health.max-failing=2h | delayqueue.health.max-failing is between PT1S and PT1H, but is PT2H.",
                "delayqueue.health.max-lag[a.b]=0 | delayqueue.health.max-lag[a.b] is more than zero, but is PT0S.",
                "delayqueue.listener.concurrency=0 | delayqueue.listener.concurrency is between 1 and 10000, but is 0.",
                "delayqueue.listener.lease=2h | delayqueue.listener.handling-time is at least the lease (PT2H), but is",
                "delayqueue.listener.backoff=fixed soon | delayqueue.listener.backoff is 'fixed soon', but",
                "delayqueue.listener.backoff=nobody | delayqueue.listener.backoff is 'nobody', but this is neither",
                "delayqueue.listener.not-retryable=java.lang.String | delayqueue.listener.not-retryable names exceptions",
                "delayqueue.topics[a.b].prefetch=-1 | delayqueue.topics[a.b].prefetch is between 0 and 10000, but is -1.",
                "delayqueue.topics[a.b].shards=0 | delayqueue.topics[a.b].shards is 1 to 1,024, but is 0.",
                "delayqueue.topics.a.shards=1025 | delayqueue.topics[a].shards is 1 to 1,024, but is 1025.",
                "delayqueue.shards.on-conflict=ask | delayqueue.shards.on-conflict",
                "delayqueue.engine.sweep=soon | delayqueue.engine.sweep",
                "delayqueue.forward[0].to=kafka | delayqueue.forward[0].topic says whose messages go on, but is not set.",
                "delayqueue.forward[0].topic=a | delayqueue.forward[0].to says where they go (kafka, rabbitmq, jms,",
            })
    void badValueIsToldInASentenceThatNamesTheProperty(String property, String sentence, CapturedOutput output) {
        fails(property, Sound.class);
        assertThat(output).contains("APPLICATION FAILED TO START", sentence);
    }

    @Test
    void noConnectionFactoryIsTold(CapturedOutput output) {
        fails("delayqueue.namespace=x", OnlyQueue.class);
        assertThat(output)
                .contains("The delay queue needs a RedisConnectionFactory, but there is no such bean.")
                .contains("spring.data.redis.host", "delayqueue.enabled=false");
    }

    @Test
    void severalConnectionFactoriesWithoutAChoiceAreNamed(CapturedOutput output) {
        fails("delayqueue.namespace=x", OnlyQueue.class, TwoFactories.class);
        assertThat(output)
                .contains("needs one RedisConnectionFactory, but there are several: one, other.")
                .contains("@DelayQueueConnectionFactory", "@Primary");
    }

    @Test
    void severalMarkedConnectionFactoriesAreNamed(CapturedOutput output) {
        fails("delayqueue.namespace=x", OnlyQueue.class, TwoMarkedFactories.class);
        assertThat(output).contains("needs one RedisConnectionFactory, but there are several: one, other.");
    }

    @Test
    void twoListenersWithOneIdAreNamed(CapturedOutput output) {
        fails("delayqueue.namespace=x", Sound.class, SameId.class);
        assertThat(output)
                .contains("The listener of 'failureAnalysisTests.SameId' ", "SameId.second(String)")
                .contains("has the id 'mine' too", "SameId.first(String)")
                .contains("Give one of them another id.");
    }

    @Test
    void wrongParameterTypeIsTold(CapturedOutput output) {
        fails("delayqueue.namespace=x", Sound.class, WrongParameter.class);
        assertThat(output)
                .contains("The listener of 'failureAnalysisTests.WrongParameter' ", "handle(DeadLetter)")
                .contains("It takes a DeadLetter, which is there only for the listeners of dead letters.")
                .contains("Annotate it with @DeadLetterListener, or remove the parameter.");
    }

    private static void fails(String property, Class<?>... sources) {
        Class<?>[] all =
                Stream.concat(Stream.of(Base.class), Arrays.stream(sources)).toArray(Class<?>[]::new);
        SpringApplicationBuilder application = new SpringApplicationBuilder(all)
                .web(WebApplicationType.NONE)
                .logStartupInfo(false)
                .properties("spring.main.banner-mode=off")
                .properties(property);
        Throwable failure = catchThrowable(() -> application.run().close());
        assertThat(failure).isNotNull();
    }

    @Configuration(proxyBeanMethods = false)
    static class Base {}

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataRedisAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        PayloadConverterAutoConfiguration.class,
        DelayQueueAutoConfiguration.class,
        DelayListenerAutoConfiguration.class
    })
    static class Sound {}

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({DelayQueueAutoConfiguration.class, DelayListenerAutoConfiguration.class})
    static class OnlyQueue {}

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

    @Configuration(proxyBeanMethods = false)
    static class WrongParameter {

        @DelayListener("a")
        void handle(DeadLetter letter) {}
    }
}
