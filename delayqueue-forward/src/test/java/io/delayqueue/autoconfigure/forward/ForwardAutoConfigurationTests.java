package io.delayqueue.autoconfigure.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.autoconfigure.DelayListenerAutoConfiguration;
import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.autoconfigure.PayloadConverterAutoConfiguration;
import io.delayqueue.autoconfigure.failure.InvalidPropertyException;
import io.delayqueue.forward.ForwardMapper;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.autoconfigure.TestRedisAutoConfiguration;
import jakarta.jms.ConnectionFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.core.RoutingKafkaTemplate;
import org.springframework.messaging.Message;
import org.springframework.messaging.core.AbstractMessageSendingTemplate;

/** Which beans are brokers, and the failures if there is none. */
@ExtendWith(OutputCaptureExtension.class)
class ForwardAutoConfigurationTests {

    private final ApplicationContextRunner runner =
            withoutRedis().withConfiguration(AutoConfigurations.of(TestRedisAutoConfiguration.class));

    private static ApplicationContextRunner withoutRedis() {
        return new ApplicationContextRunner()
                .withPropertyValues("delayqueue.namespace=" + UUID.randomUUID())
                .withConfiguration(AutoConfigurations.of(
                        DataRedisAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        PayloadConverterAutoConfiguration.class,
                        DelayQueueAutoConfiguration.class,
                        DelayListenerAutoConfiguration.class,
                        ForwardAutoConfiguration.class,
                        KafkaForwardAutoConfiguration.class,
                        RabbitForwardAutoConfiguration.class,
                        JmsForwardAutoConfiguration.class,
                        MessagingForwardAutoConfiguration.class));
    }

    private static String[] forward(int index, String... keys) {
        return List.of(keys).stream()
                .map(key -> "delayqueue.forward[" + index + "]." + key)
                .toArray(String[]::new);
    }

    private static void assertFails(ApplicationContextRunner application, String sentence) {
        application.run(context -> assertThat(context).getFailure().hasStackTraceContaining(sentence));
    }

    @Test
    void nothingIsForwardedByDefault() {
        runner.withUserConfiguration(Templates.class)
                .run(context -> assertThat(
                                context.getBean(DelayListenerRegistry.class).getListenerIds())
                        .isEmpty());
    }

    @Test
    void eachKindOfBrokerIsFoundWithoutConnecting() {
        runner.withUserConfiguration(Templates.class)
                .withPropertyValues(forward(0, "topic=a", "to=kafka", "destination=x"))
                .withPropertyValues(forward(1, "topic=b", "to=rabbitmq", "destination=x", "routing-key=y"))
                .withPropertyValues(forward(2, "topic=c", "to=jms", "destination=x", "pub-sub=true"))
                .withPropertyValues(forward(3, "topic=d", "to=custom", "destination=x", "id=mine"))
                .withPropertyValues(forward(4, "topic=e", "to=rabbitmq", "routing-key=queue"))
                .withPropertyValues(forward(5, "topic=f", "to=kafkaTemplate", "destination=x"))
                .withPropertyValues("delayqueue.listener.auto-startup=false")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(DelayListenerRegistry.class).getListenerIds())
                            .containsExactly("forward-a", "forward-b", "forward-c", "mine", "forward-e", "forward-f");
                    assertThat(context).hasSingleBean(ProducerFactory.class);
                    assertThat(context)
                            .hasSingleBean(org.springframework.amqp.rabbit.connection.ConnectionFactory.class);
                    assertThat(context).hasSingleBean(ConnectionFactory.class);
                });
    }

    @Test
    void unconfirmedMessagesThatHoldNoThreadAreMoreByDefault() {
        ApplicationContextRunner forwards = runner.withUserConfiguration(Templates.class)
                .withPropertyValues(forward(0, "topic=a", "to=kafka", "destination=x"))
                .withPropertyValues(forward(1, "topic=b", "to=rabbitmq", "destination=x"))
                .withPropertyValues(forward(2, "topic=c", "to=jms", "destination=x"))
                .withPropertyValues(forward(3, "topic=d", "to=kafka", "destination=x", "concurrency=3"))
                .withPropertyValues(forward(4, "topic=e", "to=kafka", "destination=x"))
                .withPropertyValues("delayqueue.topics[e].concurrency=5", "delayqueue.listener.auto-startup=false");
        forwards.run(context -> assertThat(concurrency(context)).containsExactly(64, 64, 8, 3, 5));
        forwards.withPropertyValues("delayqueue.listener.concurrency=7")
                .run(context -> assertThat(concurrency(context)).containsExactly(7, 7, 7, 3, 5));
    }

    private static List<Integer> concurrency(ApplicationContext context) {
        DelayListenerRegistry registry = context.getBean(DelayListenerRegistry.class);
        return registry.getContainers().stream()
                .map(listener -> listener.status().concurrency())
                .toList();
    }

    @Test
    void messageIsForwardedWhenItIsDue() {
        runner.withUserConfiguration(Templates.class)
                .withPropertyValues(forward(0, "topic=orders", "to=custom", "destination=due"))
                .run(context -> {
                    String id = context.getBean(DelayQueueTemplate.class)
                            .send("orders", Map.of("no", 1), Duration.ofMillis(50))
                            .id();

                    Message<?> sent = context.getBean(CustomTemplate.class).sent.poll(60, TimeUnit.SECONDS);
                    assertThat(sent).isNotNull();
                    assertThat(sent.getHeaders())
                            .containsEntry("delayqueue_id", id)
                            .containsEntry("mapped", "due");
                    await().until(() -> context.getBean(DelayQueueTemplate.class)
                            .find("orders", id)
                            .isEmpty());
                });
    }

    @Test
    void sendsTimeOutUntilListenersHaveStopped(CapturedOutput output) {
        runner.withBean("stuck", StuckTemplate.class)
                .withPropertyValues(forward(0, "topic=orders", "to=stuck", "destination=due", "send-timeout=500ms"))
                .run(context -> {
                    context.getBean(DelayQueueTemplate.class).send("orders", "text");
                    assertThat(context.getBean(StuckTemplate.class).sending.await(60, TimeUnit.SECONDS))
                            .isTrue();
                });
        assertThat(output).contains("Listener forward-orders has stopped").doesNotContain("was stopped while");
    }

    @Test
    void optionsOfTheForwardPrecedeThoseOfItsTopicAndOfAllListeners() {
        runner.withUserConfiguration(Templates.class)
                .withPropertyValues(
                        forward(0, "topic=a", "to=custom", "destination=x", "max-attempts=3", "concurrency=2"))
                .withPropertyValues(
                        "delayqueue.topics[a].max-attempts=4",
                        "delayqueue.topics[a].prefetch=7",
                        "delayqueue.listener.prefetch=8",
                        "delayqueue.listener.lease=20s")
                .run(context -> {
                    ListenerOptions options = context.getBean(DelayListenerRegistry.class)
                            .getContainer("forward-a")
                            .orElseThrow()
                            .options();
                    assertThat(options.maxAttempts()).isEqualTo(3);
                    assertThat(options.concurrency()).isEqualTo(2);
                    assertThat(options.prefetch()).isEqualTo(7);
                    assertThat(options.lease()).isEqualTo(Duration.ofSeconds(20));
                });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "to=kafka | destination must be set to a topic of Kafka",
                "to=jms | destination must be set to a queue of JMS, or with pub-sub to a topic",
                "to=rabbitmq | destination must be set to an exchange of RabbitMQ; to use the default exchange,"
                        + " set routing-key to the queue",
                "to=rabbitmq,routing-key= | destination must be set to an exchange of RabbitMQ",
                "to=rabbitmq,destination=%s | destination is at most 255 bytes long in RabbitMQ, but 'ääää",
                "to=rabbitmq,routing-key=%s | routing-key is at most 255 bytes long in RabbitMQ, but 'ääää",
                "to=custom | destination must be set to a destination of the template",
                "to=kafka,destination=x,routing-key=y | routing-key is for RabbitMQ only, and 'kafka'"
                        + " is another broker",
                "to=kafka,destination=x,pub-sub=true | pub-sub is for JMS only, and 'kafka' is another broker",
                "to=pulsar,destination=x | to is 'pulsar', but this is none of kafka, rabbitmq, jms and rocketmq, and there is no"
                        + " bean of that name; there are: custom, jmsTemplate, kafkaTemplate, rabbitTemplate",
                "to=mapper,destination=x | to is 'mapper', but that bean is a ",
                "to=custom,destination=x,send-timeout=1ms | send-timeout must be from 100 ms to 10 min, but was 1 ms",
                "to=custom,destination=x,send-timeout=2m,handling-time=1m | send-timeout must be at"
                        + " most the handling time (1 min)",
                "to=custom,destination=x,concurrency=0 | concurrency must be from 1 to 10000, but was 0",
                "to=custom,destination=x,backoff=nobody | backoff is 'nobody', which is neither",
            })
    void failureNamesTheInvalidProperty(String keys, String sentence) {
        runner.withUserConfiguration(Templates.class)
                .withPropertyValues(forward(0, "topic=orders"))
                .withPropertyValues(forward(0, keys.formatted("ä".repeat(128)).split(",")))
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .satisfiesAnyOf(
                                cause -> assertThat(cause).hasMessageContaining(sentence),
                                cause -> assertThat(context.getStartupFailure())
                                        .hasStackTraceContaining(InvalidPropertyException.class.getName()
                                                + ": delayqueue.forward[0]." + sentence)));
    }

    @ParameterizedTest
    @CsvSource({
        "kafka, add a KafkaTemplate",
        "rabbitmq, add a RabbitTemplate",
        "jms, add a JmsTemplate",
    })
    void failureNamesTheMissingBean(String to, String sentence) {
        assertFails(
                runner.withPropertyValues(forward(0, "topic=orders", "to=" + to, "destination=x")),
                "delayqueue.forward[0].to is '" + to + "', but there is no bean for it: " + sentence);
    }

    @Test
    void failureNamesTheMissingBeanWithoutTheClientLibrary() {
        assertFails(
                runner.withClassLoader(new FilteredClassLoader("org.springframework.kafka", "org.apache.kafka"))
                        .withPropertyValues(forward(0, "topic=orders", "to=kafka", "destination=x")),
                "there is no bean for it: add a KafkaTemplate");
    }

    @Test
    void applicationWithoutBrokersStarts() {
        runner.withClassLoader(new FilteredClassLoader(
                        "org.springframework.kafka",
                        "org.apache.kafka",
                        "org.springframework.amqp",
                        "com.rabbitmq",
                        "org.springframework.jms",
                        "jakarta.jms"))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void failureNamesSeveralTemplates() {
        assertFails(
                runner.withUserConfiguration(Templates.class)
                        .withBean("other", KafkaTemplate.class, () -> new KafkaTemplate<>(producerFactory()))
                        .withPropertyValues(forward(0, "topic=orders", "to=kafka", "destination=x")),
                "delayqueue.forward[0].to is 'kafka', but there are several beans of type KafkaTemplate: kafkaTemplate,"
                        + " other; name one of them there");
    }

    @Test
    void templateWithSeveralProducerFactoriesIsRejected() {
        assertFails(
                runner.withBean(
                                "routing",
                                RoutingKafkaTemplate.class,
                                () -> new RoutingKafkaTemplate(
                                        Map.of(Pattern.compile(".*"), new DefaultKafkaProducerFactory<>(Map.of()))))
                        .withPropertyValues(forward(0, "topic=orders", "to=routing", "destination=x")),
                "delayqueue.forward[0].to names a RoutingKafkaTemplate, which has several ProducerFactories");
    }

    @Test
    void twoForwardsOfATopicRequireIds() {
        assertFails(
                runner.withUserConfiguration(Templates.class)
                        .withPropertyValues(forward(0, "topic=orders", "to=custom", "destination=x"))
                        .withPropertyValues(forward(1, "topic=orders", "to=custom", "destination=y")),
                "delayqueue.forward[1].id must be unique, but was 'forward-orders' as for delayqueue.forward[0]. Two"
                        + " forwards of the same topic share its messages");
    }

    @Test
    void competingListenersAreLogged(CapturedOutput output) {
        runner.withUserConfiguration(Templates.class, Competitor.class)
                .withPropertyValues(forward(0, "topic=orders", "to=custom", "destination=x"))
                .run(context -> assertThat(output)
                        .contains("Messages of topic orders are forwarded by listener forward-orders, but [rival]"
                                + " also receive them: each message is delivered to one of them only"));
    }

    private static DefaultKafkaProducerFactory<String, String> producerFactory() {
        return new DefaultKafkaProducerFactory<>(Map.of("bootstrap.servers", "127.0.0.1:1"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Templates {

        @Bean
        DefaultKafkaProducerFactory<String, String> producers() {
            return producerFactory();
        }

        @Bean
        KafkaTemplate<String, String> kafkaTemplate(DefaultKafkaProducerFactory<String, String> producers) {
            return new KafkaTemplate<>(producers);
        }

        @Bean
        CachingConnectionFactory rabbit() {
            return new CachingConnectionFactory("127.0.0.1", 1);
        }

        @Bean
        RabbitTemplate rabbitTemplate(CachingConnectionFactory rabbit) {
            return new RabbitTemplate(rabbit);
        }

        @Bean
        ConnectionFactory jms() {
            return mock();
        }

        @Bean
        JmsTemplate jmsTemplate(ConnectionFactory jms) {
            return new JmsTemplate(jms);
        }

        @Bean
        CustomTemplate custom() {
            return new CustomTemplate();
        }

        @Bean
        ForwardMapper mapper() {
            return (mapped, delivery, route) ->
                    mapped.toBuilder().header("mapped", route.destination()).build();
        }
    }

    /** Never sends, unless it is interrupted. */
    static final class StuckTemplate extends AbstractMessageSendingTemplate<String> {

        private final CountDownLatch sending = new CountDownLatch(1);

        @Override
        protected void doSend(String destination, Message<?> message) {
            sending.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static final class CustomTemplate extends AbstractMessageSendingTemplate<String> {

        private final BlockingQueue<Message<?>> sent = new LinkedBlockingQueue<>();

        @Override
        protected void doSend(String destination, Message<?> message) {
            sent.add(message);
        }
    }

    static class Competitor {

        @DelayListener(topic = "orders", id = "rival")
        void take(String text) {}
    }
}
