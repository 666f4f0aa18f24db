package io.delayqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DeliveryInterceptor;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.metrics.observation.DelayQueueProcessObservationConvention;
import io.delayqueue.metrics.observation.DelayQueueSendObservationConvention;
import io.delayqueue.metrics.observation.DeliveryObserver;
import io.delayqueue.metrics.observation.LinkingTracingHandler;
import io.delayqueue.metrics.observation.LoggingContext;
import io.delayqueue.metrics.observation.SendObserver;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.DuplicateMessageException;
import io.delayqueue.template.SendInterceptor;
import io.delayqueue.template.receive.DefaultDelayQueueReceiver;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.ReceiveRequest;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.micrometer.tracing.Tracer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** The conditions and contents of observations and of the logging context. */
class ObservationTests {

    private static final String ENABLED = "delayqueue.observation.enabled=true";

    private final TestObservationRegistry registry = TestObservationRegistry.builder()
            .validateObservationsWithTheSameNameHavingTheSameSetOfLowCardinalityKeys(true)
            .validateScopesClosedInReverseOrderOfOpening(true)
            .validateScopesOpenedAndClosedOnTheSameThread(true)
            .build();

    private final ApplicationContextRunner plain = QueueContexts.onRedis()
            .withConfiguration(AutoConfigurations.of(
                    DelayQueueObservationAutoConfiguration.class, DelayQueueLoggingAutoConfiguration.class));
    private final ApplicationContextRunner runner =
            plain.withBean(ObservationRegistry.class, () -> registry).withPropertyValues(ENABLED);

    @Test
    void nothingIsObservedByDefault() {
        plain.withBean(ObservationRegistry.class, () -> registry).run(context -> {
            assertThat(context).doesNotHaveBean(SendInterceptor.class);
            assertThat(context.getBeansOfType(DeliveryInterceptor.class)).containsOnlyKeys("delayQueueLoggingContext");
        });
    }

    @Test
    void withoutARegistryNothingIsObserved() {
        plain.withPropertyValues(ENABLED)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(SendObserver.class)
                        .doesNotHaveBean(DeliveryObserver.class)
                        .hasSingleBean(DelayQueueReceiver.class));
    }

    @Test
    void withoutMicrometerNothingIsObserved() {
        plain.withPropertyValues(ENABLED)
                .withClassLoader(new FilteredClassLoader("io.micrometer"))
                .withUserConfiguration(Handlers.class)
                .run(context -> {
                    assertThat(context).hasNotFailed().doesNotHaveBean(SendInterceptor.class);
                    context.getBean(DelayQueueTemplate.class).send("watched", "text");
                    assertThat(next(context.getBean(Handlers.class).seen).logged())
                            .containsEntry("delayqueue.topic", "watched");
                });
    }

    @Test
    void withoutATracerNothingIsLinked() {
        runner.run(context -> assertThat(context).doesNotHaveBean(LinkingTracingHandler.class));
        runner.withClassLoader(new FilteredClassLoader("io.micrometer.tracing"))
                .run(context -> assertThat(context)
                        .hasSingleBean(DeliveryObserver.class)
                        .doesNotHaveBean("delayQueueLinkingTracingHandler"));
        runner.withBean(Tracer.class, () -> Tracer.NOOP)
                .run(context -> assertThat(context).hasSingleBean(LinkingTracingHandler.class));
    }

    @Test
    void nothingIsObservedWithoutTheQueue() {
        runner.withPropertyValues("delayqueue.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(SendInterceptor.class)
                        .doesNotHaveBean(DeliveryInterceptor.class));
    }

    @Test
    void loggingContextCanBeDisabled() {
        plain.withPropertyValues("delayqueue.listener.mdc=false")
                .run(context -> assertThat(context).doesNotHaveBean(DeliveryInterceptor.class));
        plain.withClassLoader(new FilteredClassLoader(MDC.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LoggingContext.class));
    }

    @Test
    void eachMessageOfASendIsObserved() {
        runner.run(context -> {
            DelayQueueTemplate delayQueue = context.getBean(DelayQueueTemplate.class);
            DelayMessage message =
                    DelayMessage.to("sent").id("a").payload("text").build();
            delayQueue.sendAll(List.of(message, message.toBuilder().id("b").build()));
            assertThatExceptionOfType(DuplicateMessageException.class).isThrownBy(() -> delayQueue.send(message));
            delayQueue.sendAsync("sent", "text").get(60, TimeUnit.SECONDS);
            delayQueue.sendAfterCommit("sent", "text");

            TestObservationRegistryAssert.assertThat(registry)
                    .hasNumberOfObservationsWithNameEqualTo("delayqueue.send", 5)
                    .forAllObservationsWithNameEqualTo(
                            "delayqueue.send", it -> it.doesNotHaveLowCardinalityKeyValue("outcome", "none"));
            assertThat(registry.getCurrentObservation()).isNull();
        });
    }

    @Test
    void eachReceiveCallIsObserved() {
        runner.run(context -> {
            context.getBean(DelayQueueTemplate.class)
                    .sendAll(List.of(message("reports", "a"), message("reports", "b"), message("reports", "c")));
            DelayQueueReceiver receiver = context.getBean(DelayQueueReceiver.class);
            List<String> topics = List.of("other", "reports");

            assertThat(receiver.receive("reports", 1, Duration.ZERO)).hasSize(1);
            assertThat(receiver.receiveAsync(ReceiveRequest.from(topics).max(10))
                            .get(60, TimeUnit.SECONDS))
                    .hasSize(2);
            assertThat(receiver.receiveAsync(ReceiveRequest.from(topics).max(10))
                            .get(60, TimeUnit.SECONDS))
                    .isEmpty();
            receiver.receiveAsync("reports", 10, Duration.ofDays(1)).cancel(false);
            receiver.receiveAsync("reports", 10, Duration.ofDays(1)).complete(List.of());
            assertThatIllegalArgumentException().isThrownBy(() -> receiver.receiveAsync("reports", 0, Duration.ZERO));

            Awaitility.await()
                    .untilAsserted(() -> assertThat(observed("delayqueue.receive"))
                            .containsExactly(
                                    "receive reports: exception=none, outcome=received, topic=reports,"
                                            + " delayqueue.attempt=1, delayqueue.id=a",
                                    "receive reports: exception=none, outcome=received, topic=reports,"
                                            + " delayqueue.batch.size=2",
                                    "receive: exception=none, outcome=empty, topic=none, delayqueue.batch.size=0",
                                    "receive reports: exception=none, outcome=cancelled, topic=none,"
                                            + " delayqueue.batch.size=0",
                                    "receive reports: exception=none, outcome=empty, topic=none,"
                                            + " delayqueue.batch.size=0"));
            assertThat(registry.getCurrentObservation()).isNull();
        });
    }

    @Test
    void handlerLeavesNoContextOnItsThread() {
        runner.withUserConfiguration(Handlers.class)
                .withBean(ThreadWatch.class, () -> new ThreadWatch(registry))
                .run(context -> {
                    DelayQueueTemplate delayQueue = context.getBean(DelayQueueTemplate.class);
                    Handlers handlers = context.getBean(Handlers.class);
                    BlockingQueue<String> left = context.getBean(ThreadWatch.class).left;
                    for (String topic : List.of("watched", "failing", "asynchronous")) {
                        String id = delayQueue.send(topic, "text").id();
                        assertThat(next(handlers.seen))
                                .isEqualTo(new Seen(
                                        "delayqueue.process",
                                        Map.of(
                                                "delayqueue.topic",
                                                topic,
                                                "delayqueue.id",
                                                id,
                                                "delayqueue.attempt",
                                                "1")));
                        assertThat(next(left)).isEqualTo("no observation, topic of before");
                    }
                    assertThat(handlers.open.complete("done")).isTrue();
                });
    }

    @Test
    void conventionsAreBeans() {
        runner.withUserConfiguration(Handlers.class)
                .withBean(DelayQueueSendObservationConvention.class, () -> new DelayQueueSendObservationConvention() {
                    @Override
                    public String getName() {
                        return "own.send";
                    }
                })
                .withBean(
                        DelayQueueProcessObservationConvention.class,
                        () -> new DelayQueueProcessObservationConvention() {
                            @Override
                            public String getName() {
                                return "own.process";
                            }
                        })
                .run(context -> {
                    context.getBean(DelayQueueTemplate.class).send("watched", "text");
                    assertThat(next(context.getBean(Handlers.class).seen).observation())
                            .isEqualTo("own.process");
                    TestObservationRegistryAssert.assertThat(registry).hasObservationWithNameEqualTo("own.send");
                });
    }

    @Test
    void conventionOfOpenTelemetryNamesObservationsAndKeys() {
        PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        runner.withPropertyValues("delayqueue.observation.convention=open-telemetry")
                .withUserConfiguration(Handlers.class)
                .run(context -> {
                    DelayQueueTemplate delayQueue = context.getBean(DelayQueueTemplate.class);
                    DelayQueueReceiver receiver = context.getBean(DelayQueueReceiver.class);
                    delayQueue.send(message("reports", "a"));
                    assertThatExceptionOfType(DuplicateMessageException.class)
                            .isThrownBy(() -> delayQueue.send(message("reports", "a")));
                    receiver.receive("reports", 10, Duration.ZERO);
                    receiver.receive("reports", 10, Duration.ZERO);
                    context.getBean(DefaultDelayQueueReceiver.class).close();
                    assertThatIllegalStateException().isThrownBy(() -> receiver.receive("reports", 10, Duration.ZERO));
                    delayQueue.send(message("failing", "b"));

                    Awaitility.await()
                            .untilAsserted(() -> assertThat(observed("messaging.process.duration"))
                                    .containsExactly("process failing: error.type=java.lang.IllegalStateException,"
                                            + " messaging.delayqueue.listener=observationTests.Handlers.fail,"
                                            + " messaging.delayqueue.outcome=failure,"
                                            + " messaging.destination.name=failing,"
                                            + " messaging.operation.name=process,"
                                            + " messaging.operation.type=process,"
                                            + " messaging.system=delayqueue,"
                                            + " messaging.delayqueue.attempt=1, messaging.message.id=b"));
                    assertThat(observed("messaging.client.operation.duration"))
                            .containsExactly(
                                    client("send reports", "reports", "none", "accepted") + "messaging.message.id=a",
                                    client("send reports", "reports", "none", "duplicate") + "messaging.message.id=a",
                                    client("receive reports", "reports", "none", "received")
                                            + "messaging.delayqueue.attempt=1, messaging.message.id=a",
                                    client("receive reports", "none", "none", "empty")
                                            + "messaging.batch.message_count=0",
                                    client("receive reports", "none", "java.lang.IllegalStateException", "failure")
                                            + "messaging.batch.message_count=0",
                                    client("send failing", "failing", "none", "accepted") + "messaging.message.id=b");
                    assertThat(meters.scrape()
                                    .lines()
                                    .filter(line ->
                                            line.startsWith("messaging_client_operation_duration_seconds_count")))
                            .hasSize(6)
                            .anyMatch(line -> line.contains("messaging_operation_name=\"receive\""))
                            .anyMatch(line -> line.contains("messaging_operation_name=\"send\""));
                });
    }

    /** The low-cardinality keys of a send or receive call with OpenTelemetry's names. */
    private static String client(String span, String topic, String error, String outcome) {
        String operation = span.substring(0, span.indexOf(' '));
        return span + ": error.type=" + error + ", messaging.delayqueue.outcome=" + outcome
                + ", messaging.destination.name=" + topic
                + ", messaging.operation.name=" + operation + ", messaging.operation.type=" + operation
                + ", messaging.system=delayqueue, ";
    }

    private static DelayMessage message(String topic, String id) {
        return DelayMessage.to(topic).id(id).payload("text").build();
    }

    /** Names and keys of the observations of a name, in the order of their start. */
    private List<String> observed(String name) {
        List<String> observed = new ArrayList<>();
        TestObservationRegistryAssert.assertThat(registry)
                .hasHandledContextsThatSatisfy(contexts -> contexts.stream()
                        .filter(context -> name.equals(context.getName()))
                        .map(context -> context.getContextualName() + ": "
                                + Stream.concat(
                                                context.getLowCardinalityKeyValues().stream(),
                                                context.getHighCardinalityKeyValues().stream())
                                        .map(key -> key.getKey() + "=" + key.getValue())
                                        .collect(Collectors.joining(", ")))
                        .forEach(observed::add));
        return observed;
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(60, TimeUnit.SECONDS);
        assertThat(next).isNotNull();
        return next;
    }

    /** Records the context of a handler's thread. */
    record Seen(String observation, Map<String, String> logged) {}

    static class Handlers {

        private final BlockingQueue<Seen> seen = new LinkedBlockingQueue<>();
        private final CompletableFuture<Object> open = new CompletableFuture<>();
        private final ObservationRegistry registry;

        Handlers(ObjectProvider<ObservationRegistry> registry) {
            this.registry = registry.getIfAvailable(() -> ObservationRegistry.NOOP);
        }

        private void see() {
            var current = registry.getCurrentObservation();
            seen.add(new Seen(
                    current == null ? "none" : current.getContextView().getName(),
                    Map.copyOf(MDC.getCopyOfContextMap())));
        }

        @DelayListener("watched")
        void handle(String text) {
            see();
        }

        @DelayListener(topic = "failing", maxAttempts = "1")
        void fail(String text) {
            see();
            throw new IllegalStateException("never");
        }

        @DelayListener("asynchronous")
        CompletableFuture<Object> handleLater(String text) {
            see();
            return open;
        }
    }

    /** The outermost interceptor, which records the context of the thread before and after the others. */
    @Order(Ordered.HIGHEST_PRECEDENCE)
    static class ThreadWatch implements DeliveryInterceptor {

        private final BlockingQueue<String> left = new LinkedBlockingQueue<>();
        private final ObservationRegistry registry;

        ThreadWatch(ObservationRegistry registry) {
            this.registry = registry;
        }

        @Override
        public CompletionStage<?> around(String listener, List<Delivery> deliveries, Next next) throws Exception {
            MDC.put(LoggingContext.TOPIC, "of before");
            try {
                return next.proceed();
            } finally {
                String topic = MDC.get(LoggingContext.TOPIC);
                MDC.clear();
                left.add((registry.getCurrentObservation() == null ? "no" : "an") + " observation, topic " + topic);
            }
        }
    }
}
