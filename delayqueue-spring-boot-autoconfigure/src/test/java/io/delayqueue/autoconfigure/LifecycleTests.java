package io.delayqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.container.EngineSettings;
import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.Recipient;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Start, pause and stop of an application with a queue. */
class LifecycleTests {

    private final ApplicationContextRunner runner = QueueContexts.onRedis();

    /** Threads of contexts that other tests have cached, or that are stopping. */
    private final Set<Thread> before = engineThreads();

    @Test
    void applicationThatOnlySendsHasOneConnectionAndNoSubscription() {
        try (RedisServerProcess server = RedisServerProcess.start()) {
            on(server).run(context -> {
                // one connection, which the check of Redis' settings needs
                await().untilAsserted(
                                () -> assertThat(server.info("commandstats").get("cmdstat_hello"))
                                        .startsWith("calls=1,"));
                assertThat(server.command("DBSIZE")).isEqualTo(0L);
                context.getBean(DelayQueueTemplate.class).send("t", "text");
                // a task looks for topics without consumers
                await().until(() -> ownThreads().stream()
                        .allMatch(thread -> thread.getName().matches(".*-(redis|handler|task)-.*")));
                assertThat((List<?>) server.command("PUBSUB", "CHANNELS")).isEmpty();
                assertThat(server.command("PUBSUB", "NUMPAT")).isEqualTo(0L);
            });
        }
    }

    @Test
    void drainTimeIsLimitedByTheShutdownPhase() {
        runner.withUserConfiguration(Texts.class)
                .withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=10s")
                .run(context -> assertThat(registry(context).getContainers())
                        .extracting(listener -> listener.options().drainTime())
                        .containsOnly(Duration.ofSeconds(9)));
        runner.withUserConfiguration(Texts.class)
                .run(context -> assertThat(registry(context).getContainers())
                        .extracting(listener -> listener.options().drainTime())
                        .containsOnly(Duration.ofSeconds(20)));
    }

    @Test
    void stoppedListenerLeavesNoThreadAndNoSubscription() {
        try (RedisServerProcess server = RedisServerProcess.start()) {
            on(server).withUserConfiguration(Texts.class).run(context -> {
                context.getBean(DelayQueueTemplate.class).send("texts", "text");
                assertThat(context.getBean(Texts.class).next()).isEqualTo("text");
                Map<Boolean, List<Thread>> handlers = ownThreads().stream()
                        .filter(thread -> !thread.getName().contains("-redis-"))
                        .collect(Collectors.partitioningBy(
                                thread -> thread.getName().contains("handler")));
                assertThat(handlers.get(false))
                        .isNotEmpty()
                        .hasSizeLessThanOrEqualTo(EngineSettings.DEFAULTS.taskThreads() + 2);
                assertThat(handlers.get(true)).hasSizeLessThanOrEqualTo(ListenerOptions.DEFAULTS.concurrency());
                await().untilAsserted(() -> assertThat((List<?>) server.command("PUBSUB", "CHANNELS"))
                        .isNotEmpty());
            });
            await().untilAsserted(() -> assertThat(ownThreads()).isEmpty());
            await().untilAsserted(() ->
                    assertThat((List<?>) server.command("PUBSUB", "CHANNELS")).isEmpty());
        }
    }

    @Test
    void applicationStartsWithoutRedisAndDeliversWhenRedisIsAvailable() {
        try (RedisServerProcess server = RedisServerProcess.start();
                FaultProxy network = FaultProxy.inFrontOf(server)) {
            network.refuse();
            on(network.port()).withUserConfiguration(Texts.class).run(context -> {
                assertThat(context).hasNotFailed();
                DelayQueueTemplate delayQueue = context.getBean(DelayQueueTemplate.class);
                assertThatExceptionOfType(DelayQueueException.class).isThrownBy(() -> delayQueue.send("texts", "text"));
                network.pass();
                await().ignoreExceptions().untilAsserted(() -> delayQueue.send("texts", "text"));
                assertThat(context.getBean(Texts.class).next()).isEqualTo("text");
            });
        }
    }

    @Test
    void applicationWithoutRedisStopsSoonIfNoHandlerRuns() {
        QueueContexts.withoutRedis()
                .withPropertyValues("spring.data.redis.port=1", "delayqueue.listener.drain-time=1h")
                .withUserConfiguration(Texts.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void closeWaitsForRunningHandlersAndTheirSettlements() throws Exception {
        Slow slow = new Slow();
        Acknowledged acknowledged = new Acknowledged();
        runner.withBean(Slow.class, () -> slow)
                .withBean(Acknowledged.class, () -> acknowledged)
                .run(context -> {
                    context.getBean(DelayQueueTemplate.class).send("slow", "text");
                    assertThat(slow.started.await(60, TimeUnit.SECONDS)).isTrue();
                    Thread closer = new Thread(context::close);
                    closer.start();
                    await().until(() ->
                            !context.getBean(DelayListenerRegistry.class).isRunning());
                    slow.goOn.countDown();
                    closer.join();
                });
        assertThat(acknowledged.listeners).containsExactly("slow");
    }

    @Test
    void pausedContextDeliversNothingUntilItIsRestarted() {
        runner.withUserConfiguration(Texts.class).run(context -> {
            ConfigurableApplicationContext application = context.getSourceApplicationContext();
            DelayQueueTemplate delayQueue = context.getBean(DelayQueueTemplate.class);
            Texts texts = context.getBean(Texts.class);
            for (int round = 0; round < 3; round++) {
                application.pause();
                assertThat(registry(context).isRunning()).isFalse();
                assertThat(registry(context).getContainers()).noneMatch(it -> it.isRunning());
                application.restart();
                assertThat(registry(context).isRunning()).isTrue();
                delayQueue.send("texts", "round " + round);
                assertThat(texts.next()).isEqualTo("round " + round);
            }
        });
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void handlersRunOnVirtualThreadsIfTheApplicationEnablesThem() {
        runner.withPropertyValues("spring.threads.virtual.enabled=true")
                .withUserConfiguration(Texts.class)
                .run(context -> {
                    context.getBean(DelayQueueTemplate.class).send("texts", "text");
                    Texts texts = context.getBean(Texts.class);
                    assertThat(texts.next()).isEqualTo("text");
                    assertThat(texts.thread.getClass().getSimpleName()).contains("Virtual");
                    assertThat(texts.thread.getName()).startsWith("delayqueue-handler-");
                });
    }

    private static DelayListenerRegistry registry(ApplicationContext context) {
        return context.getBean(DelayListenerRegistry.class);
    }

    private static ApplicationContextRunner on(RedisServerProcess server) {
        return on(server.port());
    }

    private static ApplicationContextRunner on(int port) {
        return QueueContexts.withoutRedis().withPropertyValues("spring.data.redis.port=" + port);
    }

    private Set<Thread> ownThreads() {
        Set<Thread> threads = engineThreads();
        threads.removeAll(before);
        return threads;
    }

    private static Set<Thread> engineThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("delayqueue"))
                .collect(Collectors.toSet());
    }

    @Configuration(proxyBeanMethods = false)
    static class Texts {

        private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
        private volatile Thread thread;

        @DelayListener(topic = "texts", id = "texts")
        void handle(String text) {
            thread = Thread.currentThread();
            received.add(text);
        }

        String next() throws InterruptedException {
            return received.poll(60, TimeUnit.SECONDS);
        }
    }

    static class Slow {

        private final CountDownLatch started = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);

        @DelayListener(topic = "slow", id = "slow")
        void handle(String text) throws InterruptedException {
            started.countDown();
            goOn.await();
        }
    }

    static class Acknowledged implements DelayQueueEvents {

        private final List<String> listeners = new CopyOnWriteArrayList<>();

        @Override
        public void acknowledged(Recipient recipient, String id, int attempt, Duration handling, Duration sinceSent) {
            listeners.add(recipient.listener());
        }
    }
}
