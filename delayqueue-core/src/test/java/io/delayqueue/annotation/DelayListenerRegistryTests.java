package io.delayqueue.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DelayListenerRegistryTests {

    static class Listeners {
        @DelayListener(topic = "a", id = "a")
        void a(String payload) {}

        @DelayListener(topic = "b", id = "b")
        void b(String payload) {}

        @DelayListener(topic = "c", id = "manual", autoStartup = "false")
        void c(String payload) {}
    }

    private final ListenerApplication application = ListenerApplication.start(Listeners.class);
    private final DelayListenerRegistry registry = application.registry();
    private final RecordingContainer a = application.container("a");
    private final RecordingContainer b = application.container("b");
    private final RecordingContainer manual = application.container("manual");

    @AfterEach
    void close() {
        application.close();
    }

    @Test
    void listenersStartWithTheApplicationByDefault() {
        assertThat(registry.isRunning()).isTrue();
        assertThat(registry.getPhase()).isEqualTo(Integer.MAX_VALUE - 100);
        assertThat(a.isRunning()).isTrue();
        assertThat(manual.isRunning()).isFalse();
    }

    static class Eager {
        @DelayListener(topic = "a", id = "eager", autoStartup = "true")
        void a(String payload) {}

        @DelayListener(topic = "b", id = "open")
        void b(String payload) {}
    }

    @Test
    void withoutAutoStartupOnlyListenersThatEnableItStart() {
        try (ListenerApplication quiet =
                ListenerApplication.start(prepared -> prepared.autoStartup = false, Eager.class)) {
            assertThat(quiet.container("eager").isRunning()).isTrue();
            assertThat(quiet.container("open").isRunning()).isFalse();
        }
    }

    static class Dying {
        @DelayListener(topic = "a", id = "messages")
        void a(String payload) {}

        @DeadLetterListener(topic = "a", id = "notifications")
        void dead(String payload) {}
    }

    @Test
    void listenersOfDeadLettersStartFirst() {
        try (ListenerApplication dying = ListenerApplication.start(Dying.class)) {
            assertThat(dying.registry().getListenerIds()).containsExactly("messages", "notifications");
            assertThat(dying.started).containsExactly("notifications", "messages");
        }
    }

    @Test
    void listenerIsFoundByItsId() {
        registry.pause("a");
        assertThat(a.isPaused()).isTrue();
        registry.resume("a");
        assertThat(a.isPaused()).isFalse();
        registry.start("manual");
        assertThat(manual.isRunning()).isTrue();
        assertThat(registry.stop("b")).isCompleted();
        assertThat(b.isRunning()).isFalse();
        assertThat(registry.getContainer("a")).containsSame(a);
        assertThat(registry.getContainers()).containsExactly(a, b, manual);
    }

    @Test
    void failureForAnUnknownIdNamesTheKnownOnes() {
        assertThat(registry.getContainer("x")).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.start("x"))
                .withMessage("There is no listener 'x', there are [a, b, manual]");
    }

    @Test
    void listenersStopConcurrentlyAndStopWaitsForAll() {
        a.stopped = new CompletableFuture<>();
        b.stopped = new CompletableFuture<>();
        AtomicInteger called = new AtomicInteger();

        CompletableFuture<Void> stop = CompletableFuture.runAsync(() -> registry.stop(called::incrementAndGet));

        await().untilAsserted(() -> assertThat(b.calls).containsExactly("start", "stop"));
        assertThat(a.calls).containsExactly("start", "stop");
        assertThat(registry.isRunning()).isFalse();
        a.stopped.complete(null);
        assertThat(stop).isNotDone();
        assertThat(called).hasValue(0);
        b.stopped.complete(null);
        assertThat(stop).succeedsWithin(Duration.ofSeconds(60));
        assertThat(called).hasValue(1);
    }

    static class Hanging {
        @DelayListener(topic = "a", id = "hanging", drainTime = "0s")
        void a(String payload) {}
    }

    @Test
    void stopWaitsNoLongerThanTheDrainTime() {
        try (ListenerApplication hanging = ListenerApplication.start(Hanging.class)) {
            hanging.container("hanging").stopped = new CompletableFuture<>();
            assertThat(CompletableFuture.runAsync(hanging.registry()::stop)).succeedsWithin(Duration.ofSeconds(60));
        }
    }

    @Test
    void failedStopDoesNotAffectOtherListeners() {
        a.stopped = CompletableFuture.failedFuture(new IllegalStateException("no"));
        AtomicInteger called = new AtomicInteger();
        registry.stop(called::incrementAndGet);
        assertThat(called).hasValue(1);
        assertThat(b.isRunning()).isFalse();
    }

    @Test
    void restartStartsTheListenersThatRanBefore() {
        registry.stop("a").join();
        registry.start("manual");
        registry.stop();
        registry.stop();
        registry.start();

        assertThat(a.isRunning()).isFalse();
        assertThat(b.isRunning()).isTrue();
        assertThat(manual.isRunning()).isTrue();
    }

    @Test
    void listenersStopWhenTheContextCloses() {
        application.context.close();
        assertThat(a.calls).containsExactly("start", "stop");
        assertThat(b.isRunning()).isFalse();
    }

    @Test
    void listenerByCodeMayHaveAScheduleUntilItIsRemoved() {
        DelayListenerEndpoint endpoint = DelayListenerEndpoint.to("report")
                .id("daily")
                .handler(byte[].class, (payload, delivery) -> {})
                .cron("@daily", ZoneId.of("UTC"))
                .build();
        registry.register(endpoint, application.bean(DefaultDelayListenerContainerFactory.class));
        assertThat(registry.schedules())
                .singleElement()
                .satisfies(schedule -> assertThat(schedule.timing().text()).isEqualTo("cron 0 UTC 0 0 0 * * *"));

        registry.remove(List.of("daily"));
        assertThat(registry.schedules()).isEmpty();
    }
}
