package io.delayqueue.broker;

import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.Recipient;
import io.delayqueue.forward.ForwardMapper;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DeliveryInterceptor;
import io.delayqueue.listener.DependencyUnavailableException;
import io.delayqueue.message.Failure;
import jakarta.jms.ConnectionFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.spring.core.RocketMQTemplate;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.jms.connection.CachingConnectionFactory;

/** An application with the starter and the clients of all brokers. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class ForwardingApplication {

    /** A header with the size of a header that the mapper adds, which may exceed the limit of the queue. */
    static final String INFLATE = "inflate";

    /** Starts the application in a namespace of its own. */
    static ConfigurableApplicationContext start(TestBroker broker, List<String> properties) {
        List<String> all = new ArrayList<>(broker.properties());
        all.addAll(List.of(
                "spring.main.banner-mode=off",
                "delayqueue.namespace=" + UUID.randomUUID(),
                "delayqueue-test.timeout=100s"));
        all.addAll(properties);
        return new SpringApplicationBuilder(ForwardingApplication.class)
                .web(WebApplicationType.NONE)
                .logStartupInfo(false)
                .properties(all.toArray(String[]::new))
                .run();
    }

    @Bean
    Seen seen() {
        return new Seen();
    }

    @Bean
    ForwardMapper largeHeaderMapper() {
        return (mapped, delivery, route) -> {
            String size = mapped.headers().get(INFLATE);
            return size == null
                    ? mapped
                    : mapped.toBuilder()
                            .header("large", "x".repeat(Integer.parseInt(size)))
                            .build();
        };
    }

    /** Caches connections only if a test sets {@code test.artemis-cached}. */
    @Bean
    @ConditionalOnProperty("test.artemis")
    ConnectionFactory artemis(Environment environment) {
        ConnectionFactory factory = new ActiveMQConnectionFactory(environment.getRequiredProperty("test.artemis"));
        return environment.containsProperty("test.artemis-cached") ? new CachingConnectionFactory(factory) : factory;
    }

    @Bean
    @ConditionalOnProperty("test.rocketmq")
    RocketMQTemplate rocketMqTemplate(Environment environment) {
        DefaultMQProducer producer = new DefaultMQProducer("tests");
        producer.setNamesrvAddr(environment.getRequiredProperty("test.rocketmq"));
        RocketMQTemplate template = new RocketMQTemplate();
        template.setProducer(producer);
        return template;
    }

    /** Records acknowledged messages and failed attempts. */
    static final class Seen implements DelayQueueEvents, DeliveryInterceptor {

        final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
        final AtomicInteger retried = new AtomicInteger();
        /** The different failures that count as failed attempts. */
        final Set<String> failures = ConcurrentHashMap.newKeySet();

        void clear() {
            acknowledged.clear();
            retried.set(0);
            failures.clear();
        }

        @Override
        public void acknowledged(Recipient recipient, String id, int attempt, Duration handling, Duration sinceSent) {
            acknowledged.add(id);
        }

        @Override
        public void retried(Recipient recipient, String id, int attempt, Duration handling, Duration delay) {
            retried.incrementAndGet();
        }

        @Override
        public CompletionStage<?> around(String listener, List<Delivery> deliveries, Next next) throws Exception {
            return next.proceed().whenComplete((result, failure) -> {
                if (failure != null && Failure.findCause(failure, DependencyUnavailableException.class) == null) {
                    failures.add(failure.toString());
                }
            });
        }
    }
}
