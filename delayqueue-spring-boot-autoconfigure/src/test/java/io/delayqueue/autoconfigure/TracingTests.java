package io.delayqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.delayqueue.admin.DelayQueueJobs;
import io.delayqueue.admin.JobAction;
import io.delayqueue.admin.JobRequest;
import io.delayqueue.annotation.DeadLetterListener;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.receive.DefaultDelayQueueReceiver;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.LeasedDelivery;
import io.delayqueue.test.autoconfigure.TestRedisAutoConfiguration;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.observation.LettuceObservationAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.SpanProcessors;
import org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.messaging.handler.annotation.Header;

/** Traces of a real tracer, configured by Spring Boot, with a real Redis. */
class TracingTests {

    private static final Duration HALF_AN_HOUR = Duration.ofMinutes(30);
    private static final AttributeKey<String> LISTENER = AttributeKey.stringKey("listener");
    private static final AttributeKey<String> ATTEMPT = AttributeKey.stringKey("delayqueue.attempt");

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withUserConfiguration(Application.class)
            .withPropertyValues(properties());

    /** The application of the tests that need no properties of their own. */
    private static ConfigurableApplicationContext application;

    @BeforeAll
    static void start() {
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(properties())
                .run();
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @BeforeEach
    void forgetSpans() {
        application.getBean(InMemorySpanExporter.class).reset();
    }

    private static String[] properties() {
        return new String[] {
            "delayqueue.namespace=" + UUID.randomUUID(),
            "delayqueue.observation.enabled=true",
            "management.tracing.sampling.probability=1"
        };
    }

    @Test
    void handlerContinuesTheTraceOfTheSender() {
        DelayQueueTemplate delayQueue = application.getBean(DelayQueueTemplate.class);
        String id = Observation.createNotStarted("request", application.getBean(ObservationRegistry.class))
                .observe(() -> delayQueue.send("orders", "text", HALF_AN_HOUR).id());
        assertThat(delayQueue.find("orders", id).orElseThrow().envelope().headers())
                .containsOnlyKeys("traceparent");
        assertThat(spans(application, "process orders")).isEmpty();

        delayQueue.reschedule("orders", id, Duration.ZERO);

        SpanData process = await(application, "process orders", 1).get(0);
        SpanData send = await(application, "send orders", 1).get(0);
        SpanData request = await(application, "request", 1).get(0);
        assertThat(send.getParentSpanId()).isEqualTo(request.getSpanId());
        assertThat(send.getKind()).isEqualTo(SpanKind.PRODUCER);
        assertThat(process.getTraceId()).isEqualTo(request.getTraceId());
        assertThat(process.getParentSpanId()).isEqualTo(send.getSpanId());
        assertThat(process.getKind()).isEqualTo(SpanKind.CONSUMER);
        assertThat(process.getAttributes().asMap().entrySet())
                .extracting(attribute -> attribute.getKey().getKey() + "=" + attribute.getValue())
                .containsExactlyInAnyOrder(
                        "topic=orders",
                        "listener=orders",
                        "outcome=success",
                        "exception=none",
                        "delayqueue.id=" + id,
                        "delayqueue.attempt=1");
    }

    /** SenderTraceTests reads the other formats. */
    @Test
    void handlerStartsALinkedTraceIfConfigured() {
        ApplicationContextRunner linking = runner.withPropertyValues(
                "delayqueue.observation.link=true", "management.tracing.propagation.type=b3_multi");
        linking.run(context -> {
            context.getBean(DelayQueueTemplate.class).send("orders", "text");

            SpanData process = await(context, "process orders", 1).get(0);
            SpanData send = await(context, "send orders", 1).get(0);
            assertThat(process.getTraceId()).isNotEqualTo(send.getTraceId());
            assertThat(process.getParentSpanContext().isValid()).isFalse();
            assertThat(process.getKind()).isEqualTo(SpanKind.CONSUMER);
            assertThat(linksOf(process)).containsExactly(send.getSpanId());
            LinkData link = process.getLinks().get(0);
            assertThat(link.getSpanContext().getTraceId()).isEqualTo(send.getTraceId());
            assertThat(link.getSpanContext().isSampled()).isTrue();
        });
    }

    @Test
    void messageAndFailedReceiveCallWithoutATraceStartOne() {
        runner.withPropertyValues(
                        "delayqueue.observation.link=true", "management.observations.enable[delayqueue.send]=false")
                .run(context -> {
                    context.getBean(DelayQueueTemplate.class).send("orders", "text");

                    SpanData process = await(context, "process orders", 1).get(0);
                    assertThat(process.getLinks()).isEmpty();
                    assertThat(process.getParentSpanContext().isValid()).isFalse();

                    context.getBean(DefaultDelayQueueReceiver.class).close();
                    assertThatIllegalStateException()
                            .isThrownBy(() ->
                                    context.getBean(DelayQueueReceiver.class).receive("reports", 1, Duration.ZERO));

                    SpanData receive = await(context, "receive reports", 1).get(0);
                    assertThat(receive.getParentSpanContext().isValid()).isFalse();
                    assertThat(receive.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
                });
    }

    @Test
    void batchStartsATraceThatIsLinkedToEachSender() {
        ManagedListener batches = application
                .getBean(DelayListenerRegistry.class)
                .getContainer("batch")
                .orElseThrow();
        application
                .getBean(DelayQueueTemplate.class)
                .sendAll(List.of(message("batch", "a"), message("batch", "b"), message("batch", "c")));
        batches.start();

        SpanData process = await(application, "process batch", 1).get(0);
        List<SpanData> sends = await(application, "send batch", 3);
        assertThat(linksOf(process))
                .containsExactlyInAnyOrderElementsOf(
                        sends.stream().map(SpanData::getSpanId).toList());
        assertThat(process.getParentSpanContext().isValid()).isFalse();
        assertThat(process.getAttributes().get(AttributeKey.stringKey("delayqueue.batch.size")))
                .isEqualTo("3");
    }

    @Test
    void receiveCallIsInTheTraceOfItsCallerAndLinkedToEachSender() {
        DelayQueueReceiver receiver = application.getBean(DelayQueueReceiver.class);
        Observation.createNotStarted("request", application.getBean(ObservationRegistry.class))
                .observe(() -> {
                    CompletableFuture<List<LeasedDelivery>> waiting =
                            receiver.receiveAsync("reports", 10, Duration.ofSeconds(30));
                    application
                            .getBean(DelayQueueTemplate.class)
                            .sendAll(List.of(message("reports", "a"), message("reports", "b")));
                    return waiting.join();
                });

        SpanData receive = await(application, "receive reports", 1).get(0);
        List<SpanData> sends = await(application, "send reports", 2);
        SpanData request = await(application, "request", 1).get(0);
        assertThat(receive.getParentSpanId()).isEqualTo(request.getSpanId());
        assertThat(receive.getTraceId()).isEqualTo(request.getTraceId());
        assertThat(receive.getKind()).isEqualTo(SpanKind.CLIENT);
        assertThat(linksOf(receive))
                .isNotEmpty()
                .isSubsetOf(sends.stream().map(SpanData::getSpanId).toList());
        assertThat(receive.getStartEpochNanos())
                .isLessThanOrEqualTo(sends.get(0).getEndEpochNanos());
        assertThat(receive.getEndEpochNanos()).isGreaterThan(receive.getStartEpochNanos());
    }

    @Test
    void eachAttemptHasASpanOfItsOwn() {
        application.getBean(DelayQueueTemplate.class).send("failing", "text");

        List<SpanData> attempts = await(application, "process failing", 2);
        String send = await(application, "send failing", 1).get(0).getSpanId();
        assertThat(attempts).extracting(SpanData::getParentSpanId).containsExactly(send, send);
        assertThat(attempts)
                .extracting(span -> span.getAttributes().get(ATTEMPT))
                .containsExactly("1", "2");
        assertThat(attempts.get(0).getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(attempts.get(0).getEvents())
                .extracting(event -> event.getName())
                .containsExactly("exception");
        assertThat(attempts.get(1).getStatus().getStatusCode()).isNotEqualTo(StatusCode.ERROR);
    }

    @Test
    void deadLetterAndReplayContinueTheTrace() {
        application.getBean(DelayQueueTemplate.class).send("dying", "text");
        await(application, "process dying", 2);

        application.getBean(DelayQueueJobs.class).start(JobRequest.of(JobAction.REPLAY, "dying"));

        List<SpanData> handled = await(application, "process dying", 4);
        SpanData send = await(application, "send dying", 1).get(0);
        assertThat(handled).allSatisfy(span -> {
            assertThat(span.getTraceId()).isEqualTo(send.getTraceId());
            assertThat(span.getParentSpanId()).isEqualTo(send.getSpanId());
        });
        assertThat(handled)
                .extracting(span -> span.getAttributes().get(LISTENER))
                .containsExactly("dying", "notifications", "dying", "notifications");
    }

    @Test
    void commandsOfTheQueueAreNotTraced() {
        application.getBean(DelayQueueTemplate.class).send("orders", "text");
        await(application, "process orders", 1);
        application.getBean(StringRedisTemplate.class).hasKey("absent");

        await(application, "exists", 1);
        assertThat(application.getBean(InMemorySpanExporter.class).getFinishedSpanItems())
                .extracting(SpanData::getName)
                .doesNotContain("evalsha", "eval", "subscribe");
    }

    private static DelayMessage message(String topic, String id) {
        return DelayMessage.to(topic).id(id).payload("text").build();
    }

    private static List<String> linksOf(SpanData span) {
        return span.getLinks().stream()
                .map(link -> link.getSpanContext().getSpanId())
                .toList();
    }

    private static List<SpanData> await(ApplicationContext context, String name, int count) {
        Awaitility.await().until(() -> spans(context, name).size() >= count);
        List<SpanData> spans = spans(context, name);
        assertThat(spans).hasSize(count);
        return spans;
    }

    /** The spans in the order in which they ended. */
    private static List<SpanData> spans(ApplicationContext context, String name) {
        return context.getBean(InMemorySpanExporter.class).getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(name))
                .toList();
    }

    static class Listeners {

        @DelayListener(topic = "orders", id = "orders")
        void handle(String text) {}

        @DelayListener(topic = "batch", id = "batch", concurrency = "1", autoStartup = "false")
        void handle(List<String> texts) {}

        @DelayListener(topic = "failing", backoff = "fixed 10ms")
        void fail(String text, @Header("delayqueue_attempt") int attempt) {
            if (attempt == 1) {
                throw new IllegalStateException("not yet");
            }
        }

        @DelayListener(topic = "dying", id = "dying", maxAttempts = "1")
        void toDeadLetters(String text) {
            throw new IllegalStateException("never");
        }

        @DeadLetterListener(topic = "dying", id = "notifications")
        void deadLettered(DeadLetter deadLetter) {}
    }

    @SpringBootConfiguration
    @ImportAutoConfiguration({
        DataRedisAutoConfiguration.class,
        LettuceObservationAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        ObservationAutoConfiguration.class,
        OpenTelemetrySdkAutoConfiguration.class,
        OpenTelemetryTracingAutoConfiguration.class,
        MicrometerTracingAutoConfiguration.class,
        TestRedisAutoConfiguration.class,
        PayloadConverterAutoConfiguration.class,
        DelayQueueAutoConfiguration.class,
        DelayListenerAutoConfiguration.class,
        DelayQueueObservationAutoConfiguration.class
    })
    static class Application {

        @Bean
        Listeners listeners() {
            return new Listeners();
        }

        @Bean
        InMemorySpanExporter exporter() {
            return InMemorySpanExporter.create();
        }

        /** Exports spans immediately instead of in batches. */
        @Bean
        SpanProcessors spanProcessors(InMemorySpanExporter exporter) {
            return SpanProcessors.of(SimpleSpanProcessor.create(exporter));
        }
    }
}
