package io.delayqueue.forward.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.autoconfigure.DelayListenerAutoConfiguration;
import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.autoconfigure.PayloadConverterAutoConfiguration;
import io.delayqueue.autoconfigure.forward.ForwardAutoConfiguration;
import io.delayqueue.autoconfigure.forward.JmsForwardAutoConfiguration;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.autoconfigure.TestRedisAutoConfiguration;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Session;
import java.util.Map;
import java.util.UUID;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jms.core.JmsTemplate;

/** Messages on their way to a broker in this JVM, which keeps nothing when it stops. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EmbeddedArtemisTests {

    private static final String URL = "vm://39";
    private static final long RECEIVE_TIMEOUT = 60_000;

    private EmbeddedActiveMQ broker;
    private ConfigurableApplicationContext application;
    private DelayQueueTemplate delayQueue;

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataRedisAutoConfiguration.class,
        TestRedisAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        PayloadConverterAutoConfiguration.class,
        DelayQueueAutoConfiguration.class,
        DelayListenerAutoConfiguration.class,
        ForwardAutoConfiguration.class,
        JmsForwardAutoConfiguration.class
    })
    static class Application {

        @Bean
        JmsTemplate jmsTemplate() {
            return new JmsTemplate(new ActiveMQConnectionFactory(URL + "?retryInterval=10"));
        }
    }

    @BeforeAll
    void start() throws Exception {
        startBroker();
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .logStartupInfo(false)
                .properties(
                        "spring.main.banner-mode=off",
                        "delayqueue.namespace=" + UUID.randomUUID(),
                        "delayqueue.forward[0].topic=orders",
                        "delayqueue.forward[0].to=jms",
                        "delayqueue.forward[0].destination=orders",
                        "delayqueue.forward[0].max-attempts=1",
                        "delayqueue.forward[1].topic=lost",
                        "delayqueue.forward[1].to=jms",
                        "delayqueue.forward[1].destination=nowhere",
                        "delayqueue.forward[1].max-attempts=2",
                        "delayqueue.forward[1].backoff=fixed 10ms")
                .run();
        delayQueue = application.getBean(DelayQueueTemplate.class);
    }

    private void startBroker() throws Exception {
        broker = new EmbeddedActiveMQ()
                .setConfiguration(new ConfigurationImpl()
                        .setPersistenceEnabled(false)
                        .setSecurityEnabled(false)
                        .addAcceptorConfiguration("in-vm", URL)
                        .addAddressSetting(
                                "#",
                                new AddressSettings()
                                        .setAutoCreateAddresses(false)
                                        .setAutoCreateQueues(false))
                        .addQueueConfiguration(QueueConfiguration.of("orders").setRoutingType(RoutingType.ANYCAST)));
        broker.start();
    }

    @AfterAll
    void stop() throws Exception {
        application.close();
        broker.stop();
    }

    private void send(String topic, String id) {
        delayQueue.send(DelayMessage.to(topic)
                .id(id)
                .payload(Map.of("no", "Bücher"))
                .header("order.no", "4711")
                .build());
    }

    private static Message receive() throws JMSException {
        try (ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(URL);
                Connection connection = factory.createConnection();
                Session session = connection.createSession()) {
            connection.start();
            return session.createConsumer(session.createQueue("orders")).receive(RECEIVE_TIMEOUT);
        }
    }

    @Test
    void messageArrivesWithItsHeadersAndContentType() throws JMSException {
        send("orders", "order-1");

        Message message = receive();

        assertThat(message.getBody(String.class)).isEqualTo("{\"no\":\"Bücher\"}");
        assertThat(message.getStringProperty("content_type")).isEqualTo("application/json");
        assertThat(message.getStringProperty("order_DOT_no")).isEqualTo("4711");
        assertThat(message.getStringProperty("delayqueue_id")).isEqualTo("order-1");
        assertThat(message.getStringProperty("delayqueue_topic")).isEqualTo("orders");
        await().until(() -> delayQueue.find("orders", "order-1").isEmpty());
    }

    @Test
    void messageForAMissingDestinationIsDeadLettered() {
        send("lost", "lost-1");

        DelayQueueAdmin admin = application.getBean(DelayQueueAdmin.class);
        await().until(() -> admin.counts("lost").dead() == 1);

        DeadLetter deadLetter = admin.deadLetters("lost", 1).deadLetters().get(0);
        assertThat(deadLetter.cause()).isEqualTo(DeadLetterCause.ATTEMPTS_SPENT);
        assertThat(deadLetter.attempts()).isEqualTo(2);
        assertThat(String.valueOf(deadLetter.failure()))
                .contains("Forwarding to 'nowhere' by jms", "There is no queue with name nowhere");
    }

    @Test
    void outageOfTheBrokerLosesNoMessageAndSpendsNoAttempt() throws Exception {
        broker.stop();
        send("orders", "order-2");
        ManagedListener listener = application
                .getBean(DelayListenerRegistry.class)
                .getContainer("forward-orders")
                .orElseThrow();
        await().until(() -> listener.status().unavailable() != null);

        startBroker();

        Message message = receive();
        assertThat(message.getStringProperty("delayqueue_id")).isEqualTo("order-2");
        assertThat(message.getStringProperty("delayqueue_attempt")).isEqualTo("1");
        await().until(() -> delayQueue.find("orders", "order-2").isEmpty());
    }
}
