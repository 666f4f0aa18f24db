package io.delayqueue.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.DelayQueueHarness;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.rabbit.annotation.RabbitHandler;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.support.converter.ContentTypeDelegatingMessageConverter;
import org.springframework.amqp.support.converter.JacksonJsonMessageConverter;
import org.springframework.amqp.support.converter.SimpleMessageConverter;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** The forward of docs/migration-rabbitmq.md, to consumers as they were with the delayed exchange. */
@Tag("long")
@Tag("forward")
@RequiresRabbit
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RabbitMigrationTests {

    private static final Path PAGE = Path.of("../docs/migration-rabbitmq.md");
    private static final String PROPERTIES = "<!-- run by RabbitMigrationTests -->\n```properties\n";
    private static final String EVENTS = "order-events";
    private static final String REFUNDS = "refunds";

    private final RabbitTestBroker broker = NativeRabbit.isInstalled() ? new NativeRabbit() : new DockerRabbit();
    private ConfigurableApplicationContext application;

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        private final BlockingQueue<Object> received = new LinkedBlockingQueue<>();

        @Bean
        ContentTypeDelegatingMessageConverter jsonOrSerialized() {
            SimpleMessageConverter serialized = new SimpleMessageConverter();
            serialized.setAllowedListPatterns(List.of(CancelOrder.class.getName()));
            ContentTypeDelegatingMessageConverter both = new ContentTypeDelegatingMessageConverter(serialized);
            both.addDelegate("application/json", new JacksonJsonMessageConverter(Application.class.getPackageName()));
            return both;
        }

        @Bean
        Queue cancellations() {
            return new Queue("order-cancel");
        }

        @Bean
        Queue events() {
            return new Queue(EVENTS);
        }

        @Bean
        Queue refunds() {
            return new Queue(REFUNDS);
        }

        @Bean
        Events eventListener() {
            return new Events(received);
        }

        @RabbitListener(queues = "order-cancel")
        void cancel(CancelOrder order) {
            received.add(order);
        }

        @RabbitListener(queues = REFUNDS)
        @DelayListener(topic = REFUNDS)
        void refund(Refund refund) {
            received.add(refund);
        }
    }

    @RabbitListener(queues = EVENTS)
    record Events(BlockingQueue<Object> received) {

        @RabbitHandler
        void paid(OrderPaid order) {
            received.add(order);
        }

        @RabbitHandler
        void shipped(OrderShipped order) {
            received.add(order);
        }
    }

    record CancelOrder(String orderNo) implements Serializable {}

    record Refund(String orderNo) {}

    record OrderPaid(String orderNo) {}

    record OrderShipped(String orderNo) {}

    @BeforeAll
    void start() throws IOException {
        broker.start();
        List<String> properties = new ArrayList<>(broker.properties());
        properties.addAll(propertiesOfThePage());
        properties.addAll(List.of(
                "delayqueue.forward[1].topic=" + EVENTS,
                "delayqueue.forward[1].to=rabbitmq",
                "delayqueue.forward[1].routing-key=" + EVENTS,
                "spring.main.banner-mode=off",
                "delayqueue.namespace=" + UUID.randomUUID()));
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .logStartupInfo(false)
                .properties(properties.toArray(String[]::new))
                .run();
    }

    private static List<String> propertiesOfThePage() throws IOException {
        String page = Files.readString(PAGE);
        assertThat(page).containsOnlyOnce(PROPERTIES);
        int begin = page.indexOf(PROPERTIES) + PROPERTIES.length();
        return page.substring(begin, page.indexOf("```", begin)).lines().toList();
    }

    @AfterAll
    void stop() {
        application.close();
        broker.close();
    }

    @Test
    void listenerReadsAForwardedMessageAsItsParametersType() throws Exception {
        send(DelayMessage.to("order-cancel").id("4711").payload(new CancelOrder("4711")));

        assertThat(received()).isEqualTo(new CancelOrder("4711"));
    }

    @Test
    void headerSelectsTheHandlerOfAForwardedMessage() throws Exception {
        send(DelayMessage.to(EVENTS)
                .id("4712")
                .payload(new OrderShipped("4712"))
                .header("__TypeId__", OrderShipped.class.getName()));

        assertThat(received()).isEqualTo(new OrderShipped("4712"));
    }

    @Test
    void consumerOfForwardedMessagesReadsSerializedOnesToo() throws Exception {
        MessageProperties properties = new MessageProperties();
        Message old = new SimpleMessageConverter().toMessage(new CancelOrder("4713"), properties);
        application.getBean(RabbitTemplate.class).send("order-cancel", old);

        assertThat(received()).isEqualTo(new CancelOrder("4713"));
    }

    @Test
    void methodIsAListenerOfBoth() throws Exception {
        application.getBean(RabbitTemplate.class).send("", REFUNDS, json("{\"orderNo\":\"4714\"}"));
        assertThat(received()).isEqualTo(new Refund("4714"));

        send(DelayMessage.to(REFUNDS).id("4715").payload(new Refund("4715")));
        assertThat(received()).isEqualTo(new Refund("4715"));
    }

    private static Message json(String body) {
        return MessageBuilder.withBody(body.getBytes(UTF_8))
                .setContentType("application/json")
                .build();
    }

    private void send(DelayMessage.Builder message) {
        DelayMessage delayed = message.delay(Duration.ofMinutes(30)).build();
        application.getBean(DelayQueueTemplate.class).send(delayed);
        application.getBean(DelayQueueHarness.class).makeDue(delayed.topic(), delayed.id());
    }

    private Object received() throws InterruptedException {
        return application.getBean(Application.class).received.poll(60, TimeUnit.SECONDS);
    }
}
