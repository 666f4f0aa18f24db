package io.delayqueue.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.LeasedDelivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;

/** The tasks of an engine run on request only. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {"delayqueue.namespace=manual", "delayqueue-test.tasks=manual", "delayqueue.listener.drain-time=1h"
        })
class ManualTasksTests {

    @Autowired
    private DelayQueueTemplate delayQueue;

    @Autowired
    private DelayQueueHarness harness;

    @Autowired
    private Application application;

    @BeforeEach
    void forget() {
        harness.forget();
        application.handled.clear();
        application.threads.clear();
    }

    @Test
    void nothingIsHandledInTheBackground() {
        delayQueue.send("orders", "one");
        assertThat(application.handled).isEmpty();
        assertThat(harness.runUntilIdle()).isPositive();
        assertThat(application.handled).containsExactly("one");
        harness.awaitAcknowledged("orders", 1);
        harness.awaitEmpty("orders");
    }

    @Test
    void handlersRunOnTheCallingThreadInTheOrderOfTheirDueTimes() {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            delayQueue.send(DelayMessage.to("orders")
                    .id("m" + (100 + i))
                    .payload("m" + i)
                    .build());
            expected.add("m" + i);
        }
        harness.runUntilIdle();
        assertThat(application.handled).isEqualTo(expected);
        assertThat(application.threads).containsOnly(Thread.currentThread());
    }

    @Test
    void scheduledMessageIsHandledWhenItIsMadeDue() {
        String id = delayQueue.send("orders", "later", Duration.ofMinutes(30)).id();
        harness.runUntilIdle();
        assertThat(application.handled).isEmpty();
        harness.moveDueTimes("orders", Duration.ofMinutes(29));
        harness.runUntilIdle();
        assertThat(application.handled).isEmpty();
        harness.makeDue("orders", id);
        harness.runUntilIdle();
        assertThat(application.handled).containsExactly("later");
    }

    @Test
    void changesThatArriveWhileTheirIdIsHandledAreHandledOnceAfterIt() {
        delayQueue.send(afterRunning("first"));
        harness.runUntilIdle();
        assertThat(application.handled).containsExactly("first", "third");
        harness.awaitEmpty("synchronised");
    }

    private static DelayMessage afterRunning(String text) {
        return DelayMessage.to("synchronised")
                .id("s")
                .payload(text)
                .onDuplicate(OnDuplicate.AFTER_RUNNING)
                .build();
    }

    @Test
    void debouncedMessageIsHandledOnceWhenItIsQuiet() {
        for (String text : List.of("first", "last")) {
            delayQueue.send(DelayMessage.to("orders")
                    .id("d")
                    .payload(text)
                    .debounce(Duration.ofMinutes(30), Duration.ofHours(2))
                    .build());
        }
        harness.runUntilIdle();
        assertThat(application.handled).isEmpty();
        harness.moveDueTimes("orders", Duration.ofMinutes(30));
        harness.runUntilIdle();
        assertThat(application.handled).containsExactly("last");
    }

    @Test
    void retriesAreHandledOneByOne() {
        delayQueue.send(DelayMessage.to("failing").id("f").payload("x").build());
        for (int attempt = 1; attempt <= 3; attempt++) {
            harness.runUntilIdle();
            assertThat(application.attempts).isEqualTo(attempt);
            harness.moveDueTimes("failing", Duration.ofHours(1));
        }
        assertThat(harness.awaitDead("failing", "f").attempts()).isEqualTo(3);
    }

    @Test
    void singleTasksAreRun() {
        delayQueue.send("orders", "one");
        assertThat(harness.runTasks()).isPositive();
        assertThat(application.handled).containsExactly("one");
    }

    @Test
    void handlerCannotRunTheTasks() {
        String id = delayQueue.send("recursive", "x").id();
        assertThat(harness.awaitDead("recursive", id).failure().message()).contains("A handler must not run tasks");
    }

    @Test
    void asynchronousResultIsAwaited() {
        String id = delayQueue.send("later", "x").id();
        harness.runUntilIdle();
        CompletableFuture<?> unused = CompletableFuture.runAsync(() -> application.later.complete(null));
        harness.awaitAcknowledged("later", id);
    }

    @Test
    void receiverIsPolledByTheTest(@Autowired DelayQueueReceiver receiver) {
        delayQueue.send("received", "x");
        List<LeasedDelivery> deliveries = harness.await(receiver.receiveAsync("received", 10, Duration.ofMinutes(1)));
        assertThat(deliveries).hasSize(1);
        assertThat(harness.await(deliveries.get(0).acknowledge())).isTrue();
        harness.awaitEmpty("received");
    }

    @Test
    void asynchronousSendRequiresNoTask() throws Exception {
        CompletableFuture<?> sent = delayQueue.sendAsync("sent", "x", Duration.ofHours(1));
        assertThat(sent.get(60, TimeUnit.SECONDS)).isNotNull();
    }

    @Test
    void queueHasNoThreadsAndItsContextCanBePausedAndStopsAtOnce() {
        Set<Thread> before = engineThreads();
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "delayqueue.namespace=paused",
                        "delayqueue-test.tasks=manual",
                        "delayqueue.listener.drain-time=1h")
                .run()) {
            context.pause();
            assertThat(context.getBean(DelayListenerRegistry.class).isRunning()).isFalse();
            context.restart();
            context.getBean(DelayQueueTemplate.class).send("orders", "again");
            context.getBean(DelayQueueHarness.class).runUntilIdle();
            assertThat(context.getBean(Application.class).handled).containsExactly("again");
            // other contexts of this JVM may start threads, which end when they are idle
            await().untilAsserted(() -> assertThat(engineThreads()).isSubsetOf(before));
        }
    }

    /** Threads that completed the stop of a listener, which also runs users' callbacks, end ten seconds later. */
    private static Set<Thread> engineThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().matches("delayqueue-(?!redis-|stop-).*"))
                .collect(Collectors.toSet());
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {

        private final List<String> handled = new ArrayList<>();
        private final List<Thread> threads = new ArrayList<>();
        private final CompletableFuture<Void> later = new CompletableFuture<>();
        private final ObjectProvider<DelayQueueHarness> harness;
        private final ObjectProvider<DelayQueueTemplate> delayQueue;
        private int attempts;

        Application(ObjectProvider<DelayQueueHarness> harness, ObjectProvider<DelayQueueTemplate> delayQueue) {
            this.harness = harness;
            this.delayQueue = delayQueue;
        }

        @DelayListener("synchronised")
        void synchronise(String text) {
            handled.add(text);
            if (text.equals("first")) {
                delayQueue.getObject().sendAll(List.of(afterRunning("second"), afterRunning("third")));
            }
        }

        @DelayListener("orders")
        void handle(String text) {
            handled.add(text);
            threads.add(Thread.currentThread());
        }

        @DelayListener(topic = "failing", maxAttempts = "3", backoff = "fixed 1h")
        void fail(String text, Delivery delivery) {
            attempts = delivery.attempt();
            throw new IllegalStateException("no luck");
        }

        @DelayListener(topic = "recursive", maxAttempts = "1")
        void recurse(String text) {
            harness.getObject().runTasks();
        }

        @DelayListener(topic = "later")
        CompletableFuture<Void> later(String text) {
            return later;
        }
    }
}
