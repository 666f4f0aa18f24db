package io.delayqueue.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.listener.Backoff;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.RetryDecision.ToDeadLetters;
import io.delayqueue.listener.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.ParameterizedTypeReference;

class ListenerAttributesTests {

    static class Everything {
        @DelayListener(
                topic = "${orders.topic}",
                id = "orders-#{'listener'}",
                concurrency = "${orders.concurrency:4}",
                lease = "45s",
                maxAttempts = "#{2 + 1}",
                maxPostponements = "6",
                backoff = "0s,0s,2m",
                notRetryable = {IOException.class, IllegalStateException.class},
                unavailableOn = TimeoutException.class,
                handlingTime = "PT2M",
                prefetch = "17",
                prefetchTime = "#{T(java.time.Duration).ofSeconds(9)}",
                drainTime = "1m30s",
                autoStartup = "${orders.start:false}")
        void handle(String payload) {}
    }

    @Test
    void eachAttributeIsRead() {
        try (ListenerApplication application = ListenerApplication.start(
                prepared -> prepared.property("orders.topic", "eu-orders"), Everything.class)) {
            RecordingContainer container = application.container("orders-listener");

            assertThat(container.topic()).isEqualTo("eu-orders");
            assertThat(container.isRunning()).isFalse();
            assertThat(container.options())
                    .isEqualTo(new ListenerOptions(
                            4,
                            1,
                            Duration.ofSeconds(45),
                            3,
                            6,
                            new Backoff.Intervals(List.of(Duration.ZERO, Duration.ZERO, Duration.ofMinutes(2))),
                            List.of(IOException.class, IllegalStateException.class),
                            List.of(TimeoutException.class),
                            Duration.ofMinutes(2),
                            17,
                            Duration.ofSeconds(9),
                            Duration.ofSeconds(90)));
        }
    }

    static class Mixed {
        @DelayListener(topic = "orders", maxAttempts = "2")
        void handle(String payload) {}
    }

    @Test
    void annotationPrecedesTopicPrecedesDefaults() {
        ListenerOptions ofTopic = ListenerOptions.DEFAULTS.toBuilder()
                .maxAttempts(5)
                .concurrency(16)
                .build();
        try (ListenerApplication application =
                ListenerApplication.start(prepared -> prepared.topics.put("orders", ofTopic), Mixed.class)) {
            assertThat(application.onlyContainer().options())
                    .isEqualTo(ofTopic.toBuilder().maxAttempts(2).build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Policies {
        @Bean
        RetryPolicy never() {
            return failed -> new ToDeadLetters();
        }

        @DelayListener(topic = "orders", id = "by-name", backoff = "never")
        void byName(String payload) {}

        @DelayListener(topic = "orders", id = "by-expression", backoff = "#{@never}")
        void byExpression(String payload) {}

        @DelayListener(topic = "orders", id = "by-property", backoff = "${retry:fixed 5s}")
        void byProperty(String payload) {}
    }

    @Test
    void backoffIsAnExpressionOrABean() {
        try (ListenerApplication application = ListenerApplication.start(Policies.class)) {
            RetryPolicy never = application.bean(RetryPolicy.class);
            assertThat(application.container("by-name").options().retryPolicy()).isSameAs(never);
            assertThat(application.container("by-expression").options().retryPolicy())
                    .isSameAs(never);
            assertThat(application.container("by-property").options().retryPolicy())
                    .isEqualTo(new Backoff.Fixed(Duration.ofSeconds(5)));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Bulk {
        @Bean
        DelayListenerContainerFactory bulk(DefaultDelayListenerContainerFactory delayListenerContainerFactory) {
            return delayListenerContainerFactory.withOptions(
                    options -> options.concurrency(50).prefetch(5));
        }

        @DelayListener(topic = "orders", containerFactory = "${factory:bulk}", prefetch = "6")
        void handle(String payload) {}
    }

    @Test
    void containerFactoryPrecedesPropertiesButNotTheAnnotation() {
        try (ListenerApplication application = ListenerApplication.start(Bulk.class)) {
            assertThat(application.onlyContainer().options())
                    .isEqualTo(ListenerOptions.DEFAULTS.toBuilder()
                            .concurrency(50)
                            .prefetch(6)
                            .build());
        }
    }

    static class Handlers implements DelayListenerConfigurer {

        private final List<Object> handled = new ArrayList<>();
        private final CompletableFuture<Void> later = new CompletableFuture<>();

        @Override
        public void configureDelayListeners(DelayListenerEndpointRegistrar registrar) {
            registrar.register(DelayListenerEndpoint.to("single")
                    .id("single")
                    .handler(String.class, (text, delivery) -> handled.add(text + " " + delivery.attempt()))
                    .build());
            registrar.register(DelayListenerEndpoint.to("generic")
                    .id("generic")
                    .handler(new ParameterizedTypeReference<List<Integer>>() {}, (numbers, delivery) -> {
                        throw new IOException("of " + numbers);
                    })
                    .build());
            registrar.register(DelayListenerEndpoint.to("batch")
                    .id("batch")
                    .batchHandler(String.class, deliveries -> handled.add(deliveries.size()))
                    .build());
            registrar.register(DelayListenerEndpoint.to("async")
                    .id("async")
                    .asyncHandler(String.class, delivery -> later)
                    .build());
            registrar.register(DelayListenerEndpoint.to("async-batch")
                    .id("async-batch")
                    .asyncBatchHandler(String.class, deliveries -> later)
                    .build());
        }
    }

    @Test
    void handlerByCodeTakesOneMessageOrABatch() throws Exception {
        try (ListenerApplication application = ListenerApplication.start(Handlers.class)) {
            Handlers handlers = application.bean(Handlers.class);

            assertThat(application.container("single").deliverPayload("text")).isNull();
            assertThat(application.container("batch").deliver(TestDelivery.of("a"), TestDelivery.of("b")))
                    .isNull();
            assertThat(handlers.handled).containsExactly("text 1", 2);
            assertThat(application.container("async").deliverPayload("text")).isSameAs(handlers.later);
            assertThat(application.container("async-batch").deliverPayload("text"))
                    .isSameAs(handlers.later);
            RecordingContainer generic = application.container("generic");
            assertThat(generic.spec.payloadType()).hasToString("java.util.List<java.lang.Integer>");
            assertThatThrownBy(() -> generic.deliverPayload(List.of(1))).hasMessage("of [1]");
        }
    }

    static class Programmatic implements DelayListenerConfigurer {
        @Override
        public void configureDelayListeners(DelayListenerEndpointRegistrar registrar) {
            registrar.register(DelayListenerEndpoint.to("orders")
                    .id("one")
                    .handler(String.class, (text, delivery) -> {})
                    .options(options -> options.concurrency(3))
                    .autoStartup(false)
                    .build());
            registrar.register(DelayListenerEndpoint.to("orders")
                    .id("many")
                    .batchHandler(String.class, deliveries -> {})
                    .build());
            registrar.register(
                    DelayListenerEndpoint.to("orders")
                            .id("notifications")
                            .deadLetterHandler((deadLetter, notification) -> null)
                            .build(),
                    endpoint -> new RecordingContainer(null, container -> {}));
        }
    }

    @Test
    void listenersMayBeRegisteredByCode() {
        try (ListenerApplication application = ListenerApplication.start(Programmatic.class)) {
            assertThat(application.registry().getListenerIds()).containsExactly("one", "many", "notifications");
            assertThat(application.container("one").options().concurrency()).isEqualTo(3);
            assertThat(application.container("one").options().batchSize()).isEqualTo(1);
            assertThat(application.container("one").isRunning()).isFalse();
            assertThat(application.container("many").options().batchSize()).isEqualTo(100);
            assertThat(application.container("many").isRunning()).isTrue();
            assertThat(application.container("notifications").spec).isNull();
        }
    }

    static class Recurring {
        @DelayListener(topic = "report", id = "daily", cron = "${report.cron}", zone = "Europe/Vaduz")
        void daily() {}

        @DelayListener(topic = "invoice", id = "hourly", cron = "0 0 * * * MON-FRI")
        void hourly(Delivery delivery) {}

        @DelayListener(topic = "cleanup", id = "never", cron = "-", zone = "UTC")
        void never() {}

        @DelayListener(
                topic = {"eu", "us"},
                id = "both",
                cron = "@daily")
        void both(List<Delivery> deliveries) {}
    }

    @Test
    void cronIsAScheduleWithTheIdOfTheListener() {
        try (ListenerApplication application = ListenerApplication.start(
                prepared -> prepared.property("report.cron", "0 30 7 * * *"), Recurring.class)) {
            String here = ZoneId.systemDefault().getId();
            assertThat(application.registry().schedules())
                    .extracting(schedule -> schedule.topic() + " " + schedule.id() + " "
                            + schedule.timing().text())
                    .containsExactlyInAnyOrder(
                            "report daily cron 0 Europe/Vaduz 0 30 7 * * *",
                            "invoice hourly cron 0 " + here + " 0 0 * * * MON-FRI",
                            "eu both-eu cron 0 " + here + " 0 0 0 * * *",
                            "us both-us cron 0 " + here + " 0 0 0 * * *");
            assertThat(application.container("never").topic()).isEqualTo("cleanup");
        }
    }
}
