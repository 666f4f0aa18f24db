package io.delayqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.DelayQueueJobs;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.annotation.DelayListenerConfigurer;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.autoconfigure.metrics.DelayQueueMetricsAutoConfiguration;
import io.delayqueue.convert.JsonPayloadConverter;
import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.listener.DeliveryInterceptor;
import io.delayqueue.message.SendResult;
import io.delayqueue.metrics.DelayQueueMeters;
import io.delayqueue.template.CommitOutbox;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.OutboxMessage;
import io.delayqueue.template.OutboxState;
import io.delayqueue.template.SendInterceptor;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.observation.ObservationPredicate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import tools.jackson.databind.json.JsonMapper;

/** Beans that the queue uses and that use the queue. */
class ExtensionsThatSendTests {

    private final ApplicationContextRunner runner = QueueContexts.onRedis()
            .withConfiguration(AutoConfigurations.of(
                    MetricsAutoConfiguration.class,
                    CompositeMeterRegistryAutoConfiguration.class,
                    SimpleMetricsExportAutoConfiguration.class,
                    ObservationAutoConfiguration.class,
                    DelayQueueMetricsAutoConfiguration.class,
                    DelayQueueObservationAutoConfiguration.class))
            .withPropertyValues("delayqueue.observation.enabled=true");

    record Order(String number) {}

    /** Each bean takes the template and the receiver, and thus all that the queue uses to send and to receive. */
    @Configuration(proxyBeanMethods = false)
    static class Extensions {

        final List<String> used = new CopyOnWriteArrayList<>();

        @Bean
        DelayQueueEvents events(DelayQueueTemplate template, DelayQueueReceiver receiver) {
            return new DelayQueueEvents() {
                @Override
                public void cancelled(String topic, String id) {
                    used.add("events");
                }
            };
        }

        @Bean
        SendInterceptor sends(DelayQueueTemplate template, DelayQueueReceiver receiver) {
            return (message, next) -> {
                used.add("send");
                return next.proceed();
            };
        }

        @Bean
        DeliveryInterceptor deliveries(DelayQueueTemplate template, DelayQueueReceiver receiver) {
            return (listener, deliveries, next) -> {
                used.add("delivery");
                return next.proceed();
            };
        }

        @Bean
        JsonMapperBuilderCustomizer json(DelayQueueTemplate template, DelayQueueReceiver receiver) {
            return builder -> used.add("json");
        }

        @Bean
        MeterBinder meters(DelayQueueTemplate template, DelayQueueReceiver receiver) {
            return registry -> {
                used.add("meters");
                Gauge.builder("orders", () -> 1).register(registry);
            };
        }

        @Bean
        MeterFilter filter(DelayQueueTemplate template, DelayQueueReceiver receiver) {
            used.add("filter");
            return new MeterFilter() {};
        }

        @Bean
        ObservationPredicate observations(DelayQueueTemplate template, DelayQueueReceiver receiver) {
            return (name, observation) -> {
                used.add("observation");
                return true;
            };
        }

        @Bean
        CommitOutbox outbox(DelayQueueTemplate template, DelayQueueReceiver receiver) {
            return new NoOutbox();
        }
    }

    private static final class NoOutbox implements CommitOutbox {

        @Override
        public boolean joinsTransaction() {
            return false;
        }

        @Override
        public Duration remembered() {
            return Duration.ZERO;
        }

        @Override
        public long write(OutboxMessage message) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void restartDelays(List<Long> rows) {}

        @Override
        public Set<Long> sendable(List<Long> rows, List<Long> withGivenIds) {
            return Set.of();
        }

        @Override
        public void settle(Map<Long, SendResult> results) {}

        @Override
        public OutboxState state() {
            return null;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Orders {

        final List<Order> handled = new CopyOnWriteArrayList<>();

        @DelayListener(topic = "orders")
        void handle(Order order) {
            handled.add(order);
        }
    }

    @Test
    void extensionsMayInjectTheQueue() {
        runner.withUserConfiguration(Extensions.class, Orders.class).run(context -> {
            assertThat(context).hasNotFailed();
            DelayQueueTemplate template = context.getBean(DelayQueueTemplate.class);
            Order order = new Order("1");
            template.send("orders", order);
            await().untilAsserted(() ->
                    assertThat(context.getBean(Orders.class).handled).containsExactly(order));
            String later = template.send("later", "text", Duration.ofHours(1)).id();
            template.cancel("later", later);
            assertThat(context.getBean(Extensions.class).used)
                    .contains("events", "send", "delivery", "json", "meters", "filter", "observation");
            assertThat(context.getBean(MeterRegistry.class)
                            .get(DelayQueueMeters.MESSAGES_CANCELLED.getName())
                            .tag("topic", "later")
                            .counter()
                            .count())
                    .isEqualTo(1);
        });
    }

    /** Beans that the queue asks when it sends or starts. */
    @Configuration(proxyBeanMethods = false)
    static class Replacements {

        final List<String> read = new CopyOnWriteArrayList<>();

        @Bean
        DelayListenerRegistry registry(DelayQueueTemplate template, DelayQueueReceiver receiver) {
            return new DelayListenerRegistry(true);
        }

        @Bean
        DelayListenerConfigurer configurer(DelayQueueTemplate template, DelayQueueReceiver receiver) {
            return registrar -> {};
        }

        @Bean
        JsonPayloadConverter converter(JsonMapper mapper, DelayQueueTemplate template, DelayQueueReceiver receiver) {
            return new JsonPayloadConverter(mapper);
        }

        @Bean
        ForwardingListener listener(DelayQueueTemplate template, DelayQueueReceiver receiver) {
            return new ForwardingListener(template, read);
        }
    }

    record ForwardingListener(DelayQueueTemplate template, List<String> read) {

        @DelayListener(topic = "orders")
        void handle(Order order) {
            template.send("handled", order);
            read.add(order.number());
        }
    }

    @Test
    void replacedBeansAndListenersMayInjectTheQueue() {
        runner.withUserConfiguration(Replacements.class).run(context -> {
            assertThat(context).hasNotFailed();
            context.getBean(DelayQueueTemplate.class).send("orders", new Order("1"));
            await().untilAsserted(() ->
                    assertThat(context.getBean(Replacements.class).read).containsExactly("1"));
        });
    }

    /** Its first event is published while the listener itself is being created. */
    @Configuration(proxyBeanMethods = false)
    static class SendsWhileItIsCreated {

        final List<String> sent = new CopyOnWriteArrayList<>();

        @Bean
        DelayQueueEvents events(DelayQueueTemplate template) {
            template.send("early", "text");
            return new DelayQueueEvents() {
                @Override
                public void sent(String topic, int count) {
                    sent.add(topic);
                }
            };
        }
    }

    @Test
    void eventsBeforeTheirListenersExistReachThem() {
        runner.withUserConfiguration(SendsWhileItIsCreated.class).run(context -> {
            context.getBean(DelayQueueTemplate.class).send("late", "text");
            assertThat(context.getBean(SendsWhileItIsCreated.class).sent).containsExactly("early", "late");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyInjection {

        @Bean
        List<Object> queue(
                @Lazy DelayQueueTemplate template,
                @Lazy DelayQueueOperations operations,
                @Lazy DelayQueueReceiver receiver,
                @Lazy DelayQueueAdmin admin,
                @Lazy DelayQueueInspector inspector,
                @Lazy DelayQueueJobs jobs,
                @Lazy DelayListenerRegistry registry) {
            return List.of(template, operations, receiver, admin, inspector, jobs, registry);
        }
    }

    @Test
    void theQueueCanBeInjectedLazily() {
        runner.withUserConfiguration(LazyInjection.class).run(context -> {
            assertThat(context).hasNotFailed();
            DelayQueueTemplate template =
                    (DelayQueueTemplate) context.getBean("queue", List.class).get(0);
            String id = template.send("lazy", "text", Duration.ofHours(1)).id();
            assertThat(context.getBean(DelayQueueTemplate.class).find("lazy", id))
                    .isPresent();
        });
    }
}
