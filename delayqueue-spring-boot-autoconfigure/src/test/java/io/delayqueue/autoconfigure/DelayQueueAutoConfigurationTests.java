package io.delayqueue.autoconfigure;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

import io.delayqueue.admin.DelayQueueJobs;
import io.delayqueue.admin.Job;
import io.delayqueue.admin.JobAction;
import io.delayqueue.admin.JobRequest;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.convert.PayloadConversionException;
import io.delayqueue.convert.PayloadConverter;
import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.listener.DelayHeaders;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DeliveryInterceptor;
import io.delayqueue.message.Schedule;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.DelayQueueSchedules;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.MessageRejectedException;
import io.delayqueue.template.SendInterceptor;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;
import tools.jackson.databind.json.JsonMapper;

/** The beans of an application and their use, with a real Redis. */
class DelayQueueAutoConfigurationTests {

    private final ApplicationContextRunner runner = QueueContexts.onRedis();

    @Test
    void beansOfTheApplicationReplaceDefaults() {
        ApplicationContextRunner scheduling = runner.withUserConfiguration(Scheduling.class);
        scheduling.run(context -> assertThat(context)
                .hasSingleBean(RedisConnectionFactory.class)
                .hasSingleBean(StringRedisTemplate.class)
                .hasSingleBean(TaskScheduler.class)
                .hasBean("applicationTaskExecutor")
                .hasSingleBean(RedisMessageListenerContainer.class)
                .satisfies(it -> assertThat(it.getBeanNamesForType(Executor.class))
                        .containsExactlyInAnyOrder("applicationTaskExecutor", "taskScheduler")));
    }

    @Test
    void listenersStartDespiteLazyInitialization() {
        runner.withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .withUserConfiguration(Texts.class)
                .run(context -> {
                    assertThat(context.getBean(DelayListenerRegistry.class).getListenerIds())
                            .contains("texts");
                    context.getBean(DelayQueueTemplate.class).send("texts", "lazy");
                    assertThat(context.getBean(Texts.class).next().payload()).isEqualTo("lazy");
                });
    }

    /** One context is a live node with lazy beans, the other one requests a job and is no node. */
    @Test
    void jobsRunDespiteLazyInitialization() {
        runner.withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .withUserConfiguration(Texts.class)
                .run(node -> runner.run(client -> {
                    String name = node.getBean(DelayQueueEngine.class).node();
                    NodeDirectory directory = client.getBean(NodeDirectory.class);
                    Awaitility.await()
                            .until(() -> directory.read().nodes().stream()
                                    .anyMatch(each -> each.name().equals(name)));
                    DelayQueueJobs jobs = client.getBean(DelayQueueJobs.class);

                    Job job = jobs.start(JobRequest.of(JobAction.RUN, "texts"));

                    Awaitility.await()
                            .until(() -> !jobs.job(job.id()).orElseThrow().isActive());
                }));
    }

    @Test
    void schedulesAreStoredAndTheirOccurrencesHandled() {
        runner.withUserConfiguration(Texts.class).run(context -> {
            DelayQueueSchedules schedules = context.getBean(DelayQueueSchedules.class);
            schedules.put(Schedule.of("texts", "a").every(Duration.ofSeconds(1)).payload("again"));
            Delivery first = context.getBean(Texts.class).next();
            Delivery second = context.getBean(Texts.class).next();
            assertThat(first.payload()).isEqualTo("again");
            assertThat(second.slot()).isEqualTo(requireNonNull(first.slot()).plusSeconds(1));
            assertThat(schedules.remove("texts", "a")).isTrue();
        });
    }

    static class Reports {

        private final BlockingQueue<Instant> slots = new LinkedBlockingQueue<>();

        @DelayListener(topic = "report", id = "every-second", cron = "* * * * * *", zone = "UTC")
        void report(@Header(name = DelayHeaders.SLOT) Instant slot) {
            slots.add(slot);
        }
    }

    @Test
    void methodWithCronIsCalledAtItsTimes() {
        runner.withUserConfiguration(Reports.class).run(context -> {
            Instant first = context.getBean(Reports.class).slots.poll(30, SECONDS);
            Instant second = context.getBean(Reports.class).slots.poll(30, SECONDS);
            assertThat(requireNonNull(first).getNano()).isZero();
            assertThat(second).isAfter(first);
            assertThat(context.getBean(DelayQueueSchedules.class).find("report", "every-second"))
                    .get()
                    .extracting(Schedule.Snapshot::timing)
                    .isEqualTo("cron 0 UTC * * * * * *");
        });
    }

    @Test
    void operationsOfTheApplicationHaveNoSchedules() {
        ApplicationContextRunner replaced =
                runner.withBean(DelayQueueOperations.class, () -> mock(DelayQueueOperations.class));
        replaced.run(context -> assertThat(context).doesNotHaveBean(DelayQueueSchedules.class));
        replaced.withUserConfiguration(Reports.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining(
                                "Listener every-second has cron, but there is no DelayQueueSchedules bean."));
    }

    @Test
    void converterBeanReplacesJson() {
        runner.withUserConfiguration(Texts.class)
                .withBean(PayloadConverter.class, BackwardsConverter::new)
                .run(context -> {
                    assertThat(context).hasSingleBean(PayloadConverter.class);
                    context.getBean(DelayQueueTemplate.class).send("numbers", 123);
                    Delivery delivery = context.getBean(Texts.class).next();
                    assertThat(delivery.payload()).isEqualTo(123);
                    assertThat(new String(delivery.body(), StandardCharsets.UTF_8))
                            .isEqualTo("321");
                });
    }

    @Test
    void withoutJacksonOnlyTextAndBytesAreSupported() {
        runner.withClassLoader(new FilteredClassLoader(JsonMapper.class))
                .withUserConfiguration(Texts.class)
                .run(context -> {
                    DelayQueueTemplate delayQueue = context.getBean(DelayQueueTemplate.class);
                    delayQueue.send("texts", "text");
                    assertThat(context.getBean(Texts.class).next().payload()).isEqualTo("text");
                    delayQueue.send("texts", "bytes".getBytes(StandardCharsets.UTF_8));
                    assertThat(context.getBean(Texts.class).next().payload()).isEqualTo("bytes");
                    assertThatExceptionOfType(MessageRejectedException.class)
                            .isThrownBy(() -> delayQueue.send("texts", 1))
                            .havingRootCause()
                            .withMessageContaining("spring-boot-starter-jackson")
                            .withMessageContaining("PayloadConverter");
                });
    }

    @Test
    void actuatorWebAndValidationAreOptional() {
        runner.withClassLoader(new FilteredClassLoader(
                        "org.springframework.boot.actuate",
                        "org.springframework.boot.health",
                        "org.springframework.web",
                        "jakarta.validation",
                        "org.hibernate.validator",
                        "io.micrometer"))
                .withUserConfiguration(Texts.class)
                .run(context -> {
                    context.getBean(DelayQueueTemplate.class).send("texts", "text");
                    assertThat(context.getBean(Texts.class).next().payload()).isEqualTo("text");
                });
    }

    @Test
    void asynchronousSendCompletesOnAThreadThatMayBlock() {
        runner.run(context -> {
            CompletableFuture<String> thread = new CompletableFuture<>();
            CompletableFuture<?> unused = context.getBean(DelayQueueTemplate.class)
                    .sendAsync("t", "text", Duration.ofHours(1))
                    .thenRun(() -> thread.complete(Thread.currentThread().getName()));
            assertThat(thread.get(60, TimeUnit.SECONDS))
                    .satisfiesAnyOf(
                            name -> assertThat(name).startsWith("delayqueue-handler"),
                            name -> assertThat(name)
                                    .isEqualTo(Thread.currentThread().getName()));
        });
    }

    @Test
    void interceptorsAreOrdered() {
        runner.withUserConfiguration(Texts.class, Interceptors.class).run(context -> {
            context.getBean(DelayQueueTemplate.class).send("texts", "text");
            Delivery delivery = context.getBean(Texts.class).next();
            assertThat(delivery.headers()).containsEntry("last", "send 2");
            assertThat(context.getBean(Interceptors.class).trail)
                    .containsExactly("send 1", "send 2", "handle 1", "handle 2");
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {}

    @Configuration(proxyBeanMethods = false)
    static class Texts {

        private final BlockingQueue<Delivery> deliveries = new LinkedBlockingQueue<>();

        @DelayListener(topic = "texts", id = "texts")
        void handle(String text, Delivery delivery) {
            deliveries.add(delivery);
        }

        @DelayListener(topic = "numbers")
        void handle(Integer number, Delivery delivery) {
            deliveries.add(delivery);
        }

        Delivery next() throws InterruptedException {
            Delivery delivery = deliveries.poll(60, TimeUnit.SECONDS);
            assertThat(delivery).isNotNull();
            return delivery;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Interceptors {

        private final List<String> trail = new CopyOnWriteArrayList<>();

        @Bean
        @Order(2)
        DeliveryInterceptor secondAround() {
            return handling("handle 2");
        }

        @Bean
        @Order(1)
        DeliveryInterceptor firstAround() {
            return handling("handle 1");
        }

        @Bean
        @Order(2)
        SendInterceptor secondSend() {
            return sending("send 2");
        }

        @Bean
        @Order(1)
        SendInterceptor firstSend() {
            return sending("send 1");
        }

        private DeliveryInterceptor handling(String name) {
            return (listener, deliveries, next) -> {
                trail.add(name);
                return next.proceed();
            };
        }

        private SendInterceptor sending(String name) {
            return (sending, next) -> {
                trail.add(name);
                sending.header("last", name);
                return next.proceed();
            };
        }
    }

    /** Writes numbers from right to left. */
    static class BackwardsConverter implements PayloadConverter {

        @Override
        public byte[] write(Object payload) {
            return new StringBuilder(payload.toString()).reverse().toString().getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public Object read(byte[] body, Type type) {
            try {
                return Integer.valueOf(new StringBuilder(new String(body, StandardCharsets.UTF_8))
                        .reverse()
                        .toString());
            } catch (NumberFormatException e) {
                throw new PayloadConversionException("no number", e);
            }
        }
    }
}
