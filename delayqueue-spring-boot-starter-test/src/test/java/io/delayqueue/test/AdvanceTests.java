package io.delayqueue.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueJobs;
import io.delayqueue.admin.JobAction;
import io.delayqueue.admin.JobRequest;
import io.delayqueue.annotation.DeadLetterListener;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DependencyUnavailableException;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Schedule;
import io.delayqueue.template.DelayQueueSchedules;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.test.redis.topology.RedisClusterProcess;
import io.delayqueue.test.tasks.ManualTasks;
import java.time.Clock;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** The time of a queue that a test advances. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {
            "delayqueue.namespace=advance",
            "delayqueue-test.tasks=manual",
            "delayqueue.topics[spread].shards=4",
            "delayqueue.topics[limited].rate=1/1h",
            "delayqueue.topics[ordered].keys=ordered"
        })
class AdvanceTests {

    @Autowired
    private DelayQueueTemplate delayQueue;

    @Autowired
    private DelayQueueHarness queue;

    @Autowired
    private ManualTasks tasks;

    @Autowired
    private DelayListenerRegistry listeners;

    @Autowired
    private Application application;

    @Autowired
    private Clock clock;

    private Instant start;

    @BeforeEach
    void begin() {
        application.result.complete(null);
        application.result = new CompletableFuture<>();
        queue.runUntilIdle();
        application.handled.clear();
        application.batchSizes.clear();
        application.failed = false;
        application.unavailable = 0;
        start = clock.instant();
    }

    /** A message that was handled at a time of the clock. */
    record Handled(String payload, Instant at) {}

    // ---- times -----------------------------------------------------------------------------------------------------

    @Test
    void fourteenDaysOfAQuietQueueNeedFewPolls(@Autowired RedisConnectionFactory redis) {
        long before = scriptCalls(redis);
        queue.advance(Duration.ofDays(14));
        assertThat(scriptCalls(redis) - before).isLessThan(200);
        assertThat(clock.instant()).isBetween(start.plus(Duration.ofDays(14)), start.plus(Duration.ofDays(15)));
    }

    private static long scriptCalls(RedisConnectionFactory redis) {
        try (var connection = redis.getConnection()) {
            Properties stats = connection.serverCommands().info("commandstats");
            return Stream.of("cmdstat_evalsha", "cmdstat_eval")
                    .map(name -> stats.getProperty(name, "calls=0,"))
                    .mapToLong(text -> Long.parseLong(text.replaceFirst("calls=(\\d+),.*", "$1")))
                    .sum();
        }
    }

    @Test
    void messagesAreHandledAtTheirDueTimes() {
        Instant first = send("orders", "hour", Duration.ofHours(1));
        Instant last = send("spread", "days", Duration.ofDays(13));
        Instant second = send("spread", "minute later", Duration.ofMinutes(61));
        queue.advance(Duration.ofDays(14));
        assertThat(application.handled)
                .containsExactly(
                        new Handled("hour", first), new Handled("minute later", second), new Handled("days", last));
    }

    /** Sends a message, and returns when it is due. */
    private Instant send(String topic, String payload, Duration delay) {
        String id = delayQueue.send(topic, payload, delay).id();
        return queue.awaitScheduled(topic, id).dueAt();
    }

    @Test
    void messageThatIsDueAtTheEndIsHandled() {
        send("orders", "x", Duration.ofDays(1));
        queue.advance(Duration.ofDays(1));
        assertThat(application.handled).hasSize(1);
    }

    @Test
    void laterMessageIsNotHandled() {
        send("orders", "x", Duration.ofDays(2));
        queue.advance(Duration.ofDays(1));
        assertThat(application.handled).isEmpty();
        queue.advance(Duration.ofDays(1));
        assertThat(application.handled).hasSize(1);
    }

    @Test
    void messagesOfOneTimeAreHandledInTheOrderOfTheirIds() {
        List<String> ids =
                IntStream.range(0, 20).mapToObj(i -> "m" + (10 + i * 7 % 20)).toList();
        for (String id : ids) {
            delayQueue.send(DelayMessage.to(id.hashCode() % 2 == 0 ? "orders" : "spread")
                    .id(id)
                    .payload(id)
                    .dueAt(start.plusSeconds(3600))
                    .build());
        }
        queue.advance(Duration.ofHours(2));
        assertThat(application.handled)
                .extracting(Handled::payload)
                .containsExactlyElementsOf(ids.stream().sorted().toList());
    }

    @Test
    void messageThatAHandlerSendsIsHandledAtItsTime() {
        Instant due = send("chain", "3", Duration.ofHours(1));
        queue.advance(Duration.ofDays(1));
        assertThat(application.handled)
                .containsExactly(
                        new Handled("3", due),
                        new Handled("2", due.plusSeconds(60)),
                        new Handled("1", due.plusSeconds(120)));
    }

    @Test
    void batchIsHandledAtOnce() {
        List.of("a", "b", "c")
                .forEach(payload -> delayQueue.send(DelayMessage.to("batches")
                        .payload(payload)
                        .dueAt(start.plusSeconds(3600))
                        .build()));
        queue.advance(Duration.ofHours(2));
        assertThat(application.batchSizes).containsExactly(3);
    }

    @Test
    void retriesFollowTheirBackoff() {
        Instant first = send("failing", "x", Duration.ofMinutes(5));
        queue.advance(Duration.ofDays(1));
        Instant last = first.plus(Duration.ofHours(2));
        assertThat(application.handled)
                .containsExactly(
                        new Handled("x", first),
                        new Handled("x", first.plus(Duration.ofHours(1))),
                        new Handled("x", last),
                        new Handled("dead x", last));
    }

    @Test
    void messageThatAJobReplaysIsHandledAtItsTime(@Autowired DelayQueueJobs jobs) {
        String id = delayQueue.send("replayed", "x").id();
        queue.awaitDead("replayed", id);
        application.handled.clear();
        jobs.start(JobRequest.of(JobAction.REPLAY, "replayed"));
        Instant before = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        queue.advance(Duration.ofDays(1));
        assertThat(application.handled)
                .singleElement()
                .satisfies(handled -> assertThat(handled.at()).isBetween(before, before.plusSeconds(60)));
    }

    @Test
    void messageThatAJobReplaysWithADelayIsHandledAtItsTime(@Autowired DelayQueueJobs jobs) {
        String id = delayQueue.send("replayed", "x").id();
        queue.awaitDead("replayed", id);
        application.handled.clear();
        jobs.start(JobRequest.of(JobAction.REPLAY, "replayed").delay(Duration.ofHours(1)));
        Instant before = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        queue.advance(Duration.ofDays(1));
        assertThat(application.handled)
                .singleElement()
                .satisfies(handled ->
                        assertThat(handled.at()).isBetween(before.plusSeconds(3600), before.plusSeconds(3660)));
    }

    @Test
    void messageIsTriedAgainUntilASystemIsAvailable() {
        application.unavailable = 3;
        send("dependent", "x", Duration.ofHours(1));
        queue.advance(Duration.ofHours(2));
        assertThat(application.handled).hasSize(4);
        assertThat(application.handled.get(3).at()).isBefore(start.plusSeconds(3600 + 60));
    }

    @Test
    void leaseEndsAreReached(@Autowired DelayQueueReceiver receiver) {
        ManagedListener listener = listeners.getContainer("orders").orElseThrow();
        listener.pause();
        String id = delayQueue.send("orders", "abandoned").id();
        Instant leaseEnd = queue.await(receiver.receiveAsync("orders", 1, Duration.ofMinutes(1)))
                .get(0)
                .leaseEnd();
        listener.resume();
        queue.advance(Duration.ofDays(1));
        assertThat(application.handled).extracting(Handled::payload).containsExactly("abandoned");
        assertThat(application.handled.get(0).at()).isBetween(leaseEnd.minusSeconds(1), leaseEnd.plusSeconds(1));
        queue.awaitAcknowledged("orders", id);
    }

    @Test
    void recurringMessagesGetEachSlot(@Autowired DelayQueueSchedules schedules) {
        schedules.put(Schedule.of("reports", "daily").every(Duration.ofDays(1)).payload("report"));
        Instant slot = queue.awaitScheduled("reports", "daily").dueAt();
        queue.advance(Duration.ofDays(14));
        assertThat(application.handled)
                .containsExactlyElementsOf(IntStream.range(0, 14)
                        .mapToObj(day -> new Handled("report", slot.plus(Duration.ofDays(day))))
                        .toList());
        schedules.remove("reports", "daily");
    }

    @Test
    void methodIsCalledAtTheTimesThatItDeclares() {
        try (ConfigurableApplicationContext context = start(Weekly.class, "weekly")) {
            context.getBean(DelayQueueHarness.class).advance(Duration.ofDays(56));
            assertThat(context.getBean(Weekly.class).slots)
                    .hasSize(8)
                    .allSatisfy(slot -> assertThat(slot.atOffset(ZoneOffset.UTC).getDayOfWeek())
                            .isEqualTo(DayOfWeek.MONDAY));
        }
    }

    @Test
    void rateOfATopicIsKept() {
        List.of("a", "b", "c").forEach(payload -> send("limited", payload, Duration.ofMinutes(1)));
        queue.advance(Duration.ofDays(1));
        assertThat(application.handled).extracting(Handled::payload).containsExactly("a", "b", "c");
        for (int i = 1; i < 3; i++) {
            assertThat(Duration.between(
                            application.handled.get(i - 1).at(),
                            application.handled.get(i).at()))
                    .isBetween(Duration.ofHours(1), Duration.ofMinutes(61));
        }
    }

    @Test
    void messageOfAKeyFollowsTheOneBeforeIt() {
        Instant first = start.truncatedTo(ChronoUnit.SECONDS).plusSeconds(60);
        for (int i = 0; i < 3; i++) {
            delayQueue.send(DelayMessage.to("ordered")
                    .id("o" + i)
                    .key("k")
                    .payload(i == 0 ? "fails once" : "o" + i)
                    .dueAt(first.plusSeconds(i))
                    .build());
        }
        queue.advance(Duration.ofDays(1));
        Instant retry = first.plus(Duration.ofHours(1));
        assertThat(application.handled)
                .containsExactly(
                        new Handled("fails once", first),
                        new Handled("fails once", retry),
                        new Handled("o1", retry),
                        new Handled("o2", retry));
    }

    @Test
    void messagesOfAPausedListenerWait() {
        ManagedListener listener = listeners.getContainer("orders").orElseThrow();
        listener.pause();
        send("orders", "waits", Duration.ofHours(1));
        queue.advance(Duration.ofDays(14));
        assertThat(application.handled).isEmpty();
        listener.resume();
        queue.runUntilIdle();
        assertThat(application.handled).extracting(Handled::payload).containsExactly("waits");
    }

    @Test
    void clockBeanFollows(@Autowired InstantSource source) {
        queue.advance(Duration.ofDays(3650));
        assertThat(source.instant()).isAfterOrEqualTo(start.plus(Duration.ofDays(3650)));
        assertThat(queue.clock().instant()).isAfterOrEqualTo(source.instant().minusMillis(1));
        Instant due = send("orders", "x", Duration.ofHours(1));
        assertThat(due)
                .isBetween(start.plus(Duration.ofDays(3650)), clock.instant().plus(Duration.ofHours(1)));
        queue.advance(Duration.ofHours(1));
        assertThat(application.handled).containsExactly(new Handled("x", due));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "P3651D", "PT0.0009S"})
    void durationOutOfRangeIsRejected(Duration duration) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> queue.advance(duration))
                .withMessageContaining("duration must be from 1 ms to 3,650 days");
    }

    // ---- handlers that do not end ----------------------------------------------------------------------------------

    @Test
    void handlerThatDoesNotReturnIsNamedAndInterrupted() {
        String id = delayQueue.send("endless", "x").id();
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> tasks.advance(Duration.ofMinutes(1), Duration.ofMillis(100)))
                .withMessageContainingAll(
                        "'endless'", "'" + id + "'", "of topic 'endless'", "within 100 ms", "interrupted");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void resultThatIsNotCompletedIsNamed() {
        String id = delayQueue.send("asynchronous", "never").id();
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> tasks.advance(Duration.ofMinutes(1), Duration.ofMillis(100)))
                .withMessageContainingAll("'asynchronous'", "'" + id + "'", "not complete");
        application.result.complete(null);
        queue.awaitAcknowledged("asynchronous", id);
    }

    @Test
    void laterCallDoesNotWaitForAResultThatWasNamed() {
        List<String> ids = IntStream.range(0, 2)
                .mapToObj(i -> delayQueue.send("asynchronous", "never").id())
                .toList();
        queue.runUntilIdle();
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> tasks.advance(Duration.ofMinutes(1), Duration.ofMillis(100)))
                .satisfies(error -> assertThat(Stream.concat(Stream.of(error), Stream.of(error.getSuppressed())))
                        .extracting(Throwable::getMessage)
                        .satisfiesExactlyInAnyOrder(
                                message -> assertThat(message).contains(ids.get(0)),
                                message -> assertThat(message).contains(ids.get(1))));
        Instant due = send("orders", "next", Duration.ofMinutes(1));
        queue.advance(Duration.ofHours(1));
        assertThat(application.handled).contains(new Handled("next", due));
        application.result.complete(null);
        ids.forEach(id -> queue.awaitAcknowledged("asynchronous", id));
    }

    @Test
    void asynchronousResultIsAwaited() {
        Instant due = send("asynchronous", "soon", Duration.ofHours(1));
        Instant next = send("orders", "next", Duration.ofHours(2));
        queue.advance(Duration.ofDays(1));
        assertThat(application.handled)
                .containsExactly(new Handled("soon", due), new Handled("completed", due), new Handled("next", next));
    }

    // ---- failures of Redis -----------------------------------------------------------------------------------------

    @Test
    void clocksRunOnWhenRedisIsAvailableAgain() {
        try (RedisServerProcess server = RedisServerProcess.start();
                FaultProxy proxy = FaultProxy.inFrontOf(server);
                ConfigurableApplicationContext context = start(
                        "outage",
                        "spring.data.redis.host=" + proxy.host(),
                        "spring.data.redis.port=" + proxy.port(),
                        "delayqueue.redis.command-timeout=1s")) {
            DelayQueueTemplate sender = context.getBean(DelayQueueTemplate.class);
            DelayQueueHarness harness = context.getBean(DelayQueueHarness.class);
            Clock time = context.getBean(Clock.class);
            context.getBean(Application.class).onEndless = proxy::cut;
            String id = sender.send("endless", "x").id();
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(() ->
                            context.getBean(ManualTasks.class).advance(Duration.ofDays(1), Duration.ofMillis(100)))
                    .withMessageContaining("'" + id + "'")
                    .satisfies(error -> assertThat(error.getSuppressed())
                            .singleElement()
                            .satisfies(suppressed -> assertThat(suppressed).hasMessageContaining("The test's clock")));
            proxy.pass();
            await().ignoreExceptions().until(() -> harness.runTasks() >= 0);
            Instant stopped = time.instant();
            String later = sender.send("orders", "later", Duration.ofMillis(50)).id();
            harness.awaitAcknowledged("orders", later);
            assertThat(time.instant()).isAfter(stopped);
            harness.advance(Duration.ofDays(1));
        }
    }

    // ---- other callers and contexts --------------------------------------------------------------------------------

    @Test
    void concurrentCallIsRejected() {
        delayQueue.send("concurrent", "x");
        queue.advance(Duration.ofMinutes(1));
        assertThat(application.rejected)
                .hasSize(4)
                .allSatisfy(rejected -> assertThat(rejected).isInstanceOf(IllegalStateException.class));
    }

    @Test
    void secondNodeIsRejected() {
        try (ConfigurableApplicationContext one = start("second-node");
                ConfigurableApplicationContext other = start("second-node")) {
            one.getBean(DelayQueueHarness.class).advance(Duration.ofDays(1));
            other.getBean(DelayQueueHarness.class).runUntilIdle();
            assertThatIllegalStateException()
                    .isThrownBy(() -> one.getBean(DelayQueueHarness.class).advance(Duration.ofDays(1)))
                    .withMessageContainingAll("namespace 'second-node'", "another node", "delayqueue.namespace");
        }
    }

    @Test
    void clusterIsRejected() {
        try (RedisClusterProcess cluster =
                        RedisClusterProcess.builder().replicasPerMaster(0).start();
                ConfigurableApplicationContext context =
                        start("cluster", "spring.data.redis.cluster.nodes=" + String.join(",", cluster.addresses()))) {
            DelayQueueHarness onCluster = context.getBean(DelayQueueHarness.class);
            context.getBean(DelayQueueTemplate.class).send("orders", "x");
            onCluster.awaitAcknowledged("orders", 1);
            assertThatIllegalStateException()
                    .isThrownBy(() -> onCluster.advance(Duration.ofDays(1)))
                    .withMessageContaining("Redis Cluster");
        }
    }

    @Test
    void pausedContextIsNoSecondNodeAndFollowsWhenItRestarts() {
        try (ConfigurableApplicationContext one = start("paused-node")) {
            one.getBean(DelayQueueHarness.class).runUntilIdle();
            one.pause();
            Instant end;
            try (ConfigurableApplicationContext other = start("paused-node")) {
                other.getBean(DelayQueueHarness.class).advance(Duration.ofDays(10));
                end = other.getBean(Clock.class).instant();
            }
            one.restart();
            assertThat(one.getBean(Clock.class).instant()).isAfterOrEqualTo(end);
        }
    }

    @Test
    void laterContextOfTheNamespaceContinues() {
        Instant before;
        try (ConfigurableApplicationContext one = start("continued")) {
            one.getBean(DelayQueueHarness.class).advance(Duration.ofDays(10));
            before = one.getBean(Clock.class).instant();
        }
        try (ConfigurableApplicationContext other = start("continued")) {
            assertThat(other.getBean(Clock.class).instant()).isAfterOrEqualTo(before);
        }
    }

    @Test
    void twoContextsTravelSideBySide() {
        try (ConfigurableApplicationContext one = start("side");
                ConfigurableApplicationContext other = start("by-side")) {
            CompletableFuture<?> both = CompletableFuture.allOf(
                    CompletableFuture.runAsync(() -> travel(one, 10)),
                    CompletableFuture.runAsync(() -> travel(other, 20)));
            both.join();
            assertThat(one.getBean(Application.class).handled).hasSize(10);
            assertThat(other.getBean(Application.class).handled).hasSize(20);
            assertThat(one.getBean(Clock.class).instant())
                    .isBefore(other.getBean(Clock.class).instant());
        }
    }

    private static void travel(ConfigurableApplicationContext context, int days) {
        for (int day = 1; day <= days; day++) {
            context.getBean(DelayQueueTemplate.class).send("orders", "x", Duration.ofDays(day));
        }
        context.getBean(DelayQueueHarness.class).advance(Duration.ofDays(days));
    }

    private static ConfigurableApplicationContext start(String namespace, String... properties) {
        return start(Application.class, namespace, properties);
    }

    private static ConfigurableApplicationContext start(Class<?> application, String namespace, String... properties) {
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .properties("delayqueue.namespace=" + namespace, "delayqueue-test.tasks=manual")
                .properties(properties)
                .run();
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {

        private final List<Handled> handled = new ArrayList<>();
        private final List<Integer> batchSizes = new ArrayList<>();
        private final List<Throwable> rejected = new ArrayList<>();
        private CompletableFuture<Void> result = new CompletableFuture<>();
        private final Clock clock;
        private final ObjectProvider<DelayQueueHarness> queue;
        private final ObjectProvider<DelayQueueTemplate> delayQueue;
        private Runnable onEndless = () -> {};
        private boolean failed;
        private int unavailable;

        Application(
                Clock clock, ObjectProvider<DelayQueueHarness> queue, ObjectProvider<DelayQueueTemplate> delayQueue) {
            this.clock = clock;
            this.queue = queue;
            this.delayQueue = delayQueue;
        }

        private synchronized void add(String text) {
            handled.add(new Handled(text, clock.instant()));
        }

        @DelayListener(id = "orders", topic = "orders")
        void handle(String text) {
            add(text);
        }

        @DelayListener({"spread", "limited"})
        void handleSpread(String text) {
            add(text);
        }

        @DelayListener("chain")
        void handleChain(String text) {
            add(text);
            int left = Integer.parseInt(text) - 1;
            if (left > 0) {
                delayQueue.getObject().send("chain", Integer.toString(left), Duration.ofMinutes(1));
            }
        }

        @DelayListener(topic = "batches", batchSize = "10")
        void handleBatch(List<String> texts) {
            batchSizes.add(texts.size());
        }

        @DelayListener("reports")
        void report(String text, Delivery delivery) {
            assertThat(delivery.slot()).isEqualTo(clock.instant());
            add(text);
        }

        @DelayListener(topic = "ordered", backoff = "fixed 1h")
        void handleOrdered(String text, Delivery delivery) {
            add(text);
            if (text.equals("fails once") && delivery.attempt() == 1) {
                throw new IllegalStateException("no luck");
            }
        }

        @DelayListener(topic = "failing", maxAttempts = "3", backoff = "fixed 1h")
        void fail(String text) {
            add(text);
            throw new IllegalStateException("no luck");
        }

        @DeadLetterListener("failing")
        void dead(String text) {
            add("dead " + text);
        }

        @DelayListener(topic = "replayed", maxAttempts = "1")
        void failOnce(String text) {
            add(text);
            if (!failed) {
                failed = true;
                throw new IllegalStateException("no luck");
            }
        }

        @DelayListener("dependent")
        void depend(String text) {
            add(text);
            if (unavailable-- > 0) {
                throw new DependencyUnavailableException("away", null);
            }
        }

        @DelayListener(id = "endless", topic = "endless", maxAttempts = "1")
        void waitForever(String text) throws InterruptedException {
            onEndless.run();
            new CountDownLatch(1).await();
        }

        @DelayListener(id = "asynchronous", topic = "asynchronous")
        CompletableFuture<Void> handleLater(String text) {
            add(text);
            return text.equals("never")
                    ? result
                    : CompletableFuture.runAsync(
                            () -> add("completed"), CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS));
        }

        @DelayListener("concurrent")
        void callFromOtherThreads(String text) {
            Duration time = Duration.ofDays(1);
            rejected.add(catchThrowable(() -> queue.getObject().advance(time)));
            rejected.add(catchThrowable(() -> queue.getObject().runUntilIdle()));
            rejected.add(CompletableFuture.supplyAsync(
                            () -> catchThrowable(() -> queue.getObject().advance(time)))
                    .join());
            rejected.add(CompletableFuture.supplyAsync(
                            () -> catchThrowable(() -> queue.getObject().runUntilIdle()))
                    .join());
        }
    }

    /** Not a configuration class, so that the context of the test does not use it. */
    @EnableAutoConfiguration
    static class Weekly {

        private final List<Instant> slots = new ArrayList<>();

        @DelayListener(id = "weekly", topic = "weekly", cron = "0 0 8 * * MON", zone = "UTC")
        void report(Delivery delivery) {
            slots.add(delivery.slot());
        }
    }
}
