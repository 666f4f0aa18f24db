package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.listener.DeliveryHandler;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.QueueConnections;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.PollReply;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Starting, pausing, stopping, closing. */
@EmbeddedRedis
class LifecycleTests extends NodeTest {

    private static final Shard SHARD = Shard.single("t");
    /** Far below the drain time, and below the command timeout, which ends a hanging call. */
    private static final Duration CLOSE_WAIT = Duration.ofMillis(500);

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Longer than a wait of {@link #CLOSE_WAIT}, and shorter than any other wait. */
    private static final Duration SOON = Duration.ofSeconds(4);

    private final CountDownLatch running = new CountDownLatch(1);

    LifecycleTests(RedisServerProcess redis) {
        super(redis);
    }

    private QueueNode node() {
        return add(QueueNode.on(redis.port()));
    }

    private DeliveryHandler blocking() {
        return deliveries -> {
            running.countDown();
            assertThat(release.await(60, TimeUnit.SECONDS)).isTrue();
            return null;
        };
    }

    private static ListenerOptions oneWorker(Duration drain) {
        return ListenerOptions.DEFAULTS.toBuilder()
                .concurrency(1)
                .drainTime(drain)
                .build();
    }

    private static DelayMessage message(String id) {
        return DelayMessage.to("t").id(id).payload("").build();
    }

    /** One delivery is handled, one waits for the worker. */
    private ListenerContainer oneRunningOneWaiting(QueueNode node, Duration drain) throws Exception {
        ListenerContainer container = node.listen("t", oneWorker(drain), blocking());
        node.template.send(message("running"));
        assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
        node.template.send(message("waiting"));
        await().until(() -> node.store.awaitCount(SHARD).leased() == 2);
        return container;
    }

    @Test
    void stopWaitsForRunningHandlersAndReleasesTheOthersAtOnce() throws Exception {
        QueueNode node = node();
        ListenerContainer container = oneRunningOneWaiting(node, Duration.ofHours(1));
        CompletableFuture<Void> stopped = container.stop();

        await().until(() -> happenings.count("released waiting") == 1);
        assertThat(node.template.find("t", "waiting").orElseThrow().attempts()).isZero();
        assertThat(node.template.find("t", "waiting").orElseThrow().state()).isNotEqualTo(MessageState.LEASED);
        assertThat(stopped).isNotDone();
        assertThat(container.isRunning()).isFalse();
        release.countDown();
        stopped.get(60, TimeUnit.SECONDS);
        assertThat(happenings.of("acknowledged")).containsExactly("acknowledged running 1");
        assertThat(container.stop()).isDone();
    }

    @Test
    void handlerRunningAfterTheDrainTimeStillSettles() throws Exception {
        QueueNode node = node();
        ListenerContainer container = oneRunningOneWaiting(node, Duration.ofMillis(100));
        container.stop().get(60, TimeUnit.SECONDS);
        assertThat(happenings.of("acknowledged")).isEmpty();
        release.countDown();
        await().until(() -> happenings.count("acknowledged running") == 1);
    }

    @Test
    void stopWaitsForAHandlerWithALostLeaseAndItsSettlementIsRejected() throws Exception {
        MovableTime time = new MovableTime();
        QueueNode node = add(QueueNode.on(redis.port()).time(time));
        AtomicReference<CompletableFuture<Boolean>> told = new AtomicReference<>();
        ListenerOptions options = ListenerOptions.DEFAULTS.toBuilder()
                .drainTime(Duration.ofHours(1))
                .build();
        ListenerContainer container = node.listen("t", options, deliveries -> {
            blocking().handle(deliveries);
            told.set(deliveries.get(0).acknowledgement().acknowledge());
            return null;
        });
        node.template.send(message("m"));
        assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
        node.template.cancel("t", "m");
        time.jump(options.lease().dividedBy(2)); // to the renewal
        await().until(() -> happenings.count("leaseLost m") == 1);
        CompletableFuture<Void> stopped = container.stop();
        assertThat(stopped).isNotDone();
        release.countDown();
        stopped.get(60, TimeUnit.SECONDS);
        assertThat(told.get().get(60, TimeUnit.SECONDS)).isFalse();
    }

    @Test
    void deliveriesThatArriveDuringAStopAreReleasedEvenIfAllWorkersAreBusy() throws Exception {
        GatedStore store = new GatedStore();
        QueueNode node = add(QueueNode.on(redis.port()).store(store));
        ListenerContainer container = node.listen("t", oneWorker(Duration.ofHours(1)), blocking());
        node.template.send(message("running"));
        assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
        CountDownLatch claimed = new CountDownLatch(1);
        CountDownLatch arrives = new CountDownLatch(1);
        store.set(poll -> {
            PollReply reply = (PollReply) poll.call();
            if (!reply.claims().isEmpty()) {
                claimed.countDown();
                assertThat(arrives.await(60, TimeUnit.SECONDS)).isTrue();
            }
            return reply;
        });
        node.template.send(message("waiting"));
        assertThat(claimed.await(60, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Void> stopped = container.stop();
        arrives.countDown();
        store.open();
        await().until(() -> happenings.count("released waiting") == 1);
        assertThat(stopped).isNotDone();
        release.countDown();
        stopped.get(60, TimeUnit.SECONDS);
    }

    @Test
    void pauseClaimsNothingAndResumeContinues() throws Exception {
        QueueNode node = node();
        ListenerContainer container = oneRunningOneWaiting(node, Duration.ofHours(1));
        container.pause();
        await().until(() -> happenings.count("released waiting") == 1);
        release.countDown();
        await().until(() -> happenings.count("acknowledged running") == 1);
        assertThat(container.isPaused()).isTrue();
        assertThat(happenings.count("started")).isEqualTo(1);
        container.stop().get(60, TimeUnit.SECONDS);
        container.start();
        assertThat(container.isPaused()).isTrue();
        container.resume();
        await().until(() -> happenings.count("acknowledged waiting 1") == 1);
    }

    @Test
    void containersAreRestartableUnderLoad() throws Exception {
        int count = 2400;
        QueueNode node = node();
        Set<String> handled = ConcurrentHashMap.newKeySet();
        List<ListenerContainer> containers = IntStream.range(0, 2)
                .mapToObj(i -> node.listen("t", ListenerOptions.DEFAULTS, deliveries -> {
                    handled.add(deliveries.get(0).id());
                    return null;
                }))
                .toList();
        for (int round = 0; round < 12; round++) {
            int from = round * count / 12;
            node.template.sendAll(IntStream.range(from, from + count / 12)
                    .mapToObj(i -> message("m" + i))
                    .toList());
            ListenerContainer bounced = containers.get(round % 2);
            if (round % 3 == 0) {
                bounced.pause();
                bounced.resume();
            } else {
                bounced.stop().get(60, TimeUnit.SECONDS);
                bounced.start();
            }
        }
        await().until(() -> happenings.count("acknowledged") == count);
        assertThat(handled).hasSize(count);
        assertThat(happenings.of("started")).hasSize(count).allMatch(line -> line.endsWith(" 1"));
        assertThat(happenings.of("gone")).isEmpty();
        assertThat(node.store.awaitCount(SHARD).leased()).isZero();
        assertThat(node.store.awaitCount(SHARD).scheduled()).isZero();
    }

    @Test
    void closeFailsOpenSettlementsAndEndsAllThreads() throws Exception {
        Set<Thread> before = engineThreads();
        GatedStore store = new GatedStore();
        QueueNode node = QueueNode.on(redis.port()).store(store).start();
        AtomicReference<Acknowledgement> held = new AtomicReference<>();
        ListenerContainer container = node.listen("t", ListenerOptions.DEFAULTS, deliveries -> {
            held.set(deliveries.get(0).acknowledgement());
            return new CompletableFuture<>();
        });
        node.template.send(message("m"));
        await().until(() -> held.get() != null);
        store.set(poll -> {
            throw new IllegalStateException("Redis is away");
        });
        CompletableFuture<Boolean> extended = held.get().extend(Duration.ofHours(1));
        node.engine.close();
        CompletableFuture<Boolean> acknowledged = held.get().acknowledge();
        assertThatThrownBy(() -> extended.get(60, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        assertThatThrownBy(() -> acknowledged.get(60, TimeUnit.SECONDS)).hasMessageContaining("closed");
        assertThat(container.stop()).succeedsWithin(PATIENCE);
        assertThatThrownBy(container::start).hasMessageContaining("closed");
        await().untilAsserted(() -> assertThat(before).containsAll(engineThreads()));
        node.close();
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void closeWithRunningHandlersIsNotLoggedAsAStop(CapturedOutput output) throws Exception {
        QueueNode node = node();
        ListenerContainer container = oneRunningOneWaiting(node, Duration.ofHours(1));
        CompletableFuture<Void> stop = container.stop();
        node.engine.close();
        assertThat(stop).succeedsWithin(PATIENCE);
        release.countDown();
        assertThat(output)
                .contains("ended with the engine while 1 of its deliveries were handled")
                .doesNotContain("has stopped");
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void closeDoesNotWaitForATaskThatHangs(CapturedOutput output) {
        try (FaultProxy proxy = FaultProxy.inFrontOf(redis)) {
            QueueNode node = add(QueueNode.on(proxy.port()).closeWait(CLOSE_WAIT));
            node.listen("t", oneWorker(Duration.ZERO), deliveries -> null);
            await().until(node.signals::confirmed);
            CountDownLatch begun = new CountDownLatch(1);
            node.engine.tasks().schedule("hangs", () -> {
                begun.countDown();
                release.await();
                return Duration.ofDays(1);
            });
            await().until(() -> begun.getCount() == 0);
            proxy.blackHole(Direction.SERVER_TO_CLIENT);

            node.engine.close();

            assertThat(output).contains("Tasks of the delay queue engine did not end within " + CLOSE_WAIT);
            node.close();
            nodes.remove(node);
        }
    }

    @Test
    @Tag("long")
    @Tag("core")
    void closeIsQuickIfRedisIsUnavailable() {
        for (boolean hanging : new boolean[] {true, false}) {
            FaultProxy proxy = FaultProxy.inFrontOf(redis);
            QueueNode node = QueueNode.on(proxy.port()).closeWait(CLOSE_WAIT).start();
            ListenerContainer container = node.listen("t", oneWorker(Duration.ZERO), deliveries -> null);
            await().until(node.signals::confirmed);
            if (hanging) {
                proxy.blackHole(Direction.SERVER_TO_CLIENT);
            } else {
                proxy.refuse();
            }
            node.engine.tasks().schedule("calls Redis", () -> {
                node.store.awaitCount(SHARD);
                return Duration.ofDays(1);
            });
            assertThat(container.stop()).succeedsWithin(PATIENCE);
            long begin = System.nanoTime();
            node.engine.close();
            Duration took = Duration.ofNanos(System.nanoTime() - begin);
            System.out.println("close with Redis " + (hanging ? "hanging" : "away") + ": " + took.toMillis() + " ms");
            assertThat(took).isLessThan(SOON);
            node.close();
            proxy.close();
        }
    }

    @Test
    void waitForRedisIsTheDefaultCommandTimeoutByDefault() {
        assertThat(node().engine.closeWait)
                .isEqualTo(QueueConnections.Settings.defaults().commandTimeout());
    }

    @Test
    void stopDoesNotWaitTheDrainTimeForAClaimWithoutReply() {
        GatedStore store = new GatedStore();
        QueueNode node = add(QueueNode.on(redis.port()).closeWait(CLOSE_WAIT).store(store));
        CountDownLatch claimed = new CountDownLatch(1);
        ListenerContainer container = node.listen("t", oneWorker(Duration.ofHours(1)), deliveries -> null);
        await().until(node.signals::confirmed);
        store.set(poll -> {
            PollReply reply = (PollReply) poll.call();
            if (reply.claims().isEmpty()) {
                return reply;
            }
            claimed.countDown();
            throw new RedisCallException(RedisCallException.Kind.UNKNOWN, "the reply was lost", null);
        });
        node.template.send(message("m"));
        await().until(() -> claimed.getCount() == 0);

        assertThat(container.stop()).succeedsWithin(PATIENCE);
        store.open();
        await().until(() -> happenings.count("released m") == 1);
        assertThat(node.template.find("t", "m").orElseThrow().attempts()).isZero();
    }

    @Test
    void stopWaitsForASettlementWithoutReply() throws Exception {
        GatedStore store = new GatedStore();
        QueueNode node = add(QueueNode.on(redis.port()).closeWait(CLOSE_WAIT).store(store));
        ListenerContainer container = node.listen("t", oneWorker(Duration.ofHours(1)), blocking());
        node.template.send(message("m"));
        assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
        store.set(poll -> {
            throw new RedisCallException(RedisCallException.Kind.NOT_SENT, "Redis is away", null);
        });
        release.countDown();
        CompletableFuture<Void> stopped = container.stop();

        // ends after the timer of the stop, which has the same delay
        assertThat(new CompletableFuture<Void>().completeOnTimeout(null, CLOSE_WAIT.toMillis(), TimeUnit.MILLISECONDS))
                .succeedsWithin(PATIENCE);
        assertThat(stopped).isNotDone();
        store.open();
        assertThat(stopped).succeedsWithin(PATIENCE);
        assertThat(happenings.of("acknowledged")).containsExactly("acknowledged m 1");
    }

    @Test
    void twoEnginesLiveSideBySide() {
        QueueNode one = node();
        QueueNode other = node();
        one.listen("a", ListenerOptions.DEFAULTS, deliveries -> null);
        other.listen("b", ListenerOptions.DEFAULTS, deliveries -> null);
        one.template.send(DelayMessage.to("b").id("toOther").payload("").build());
        other.template.send(DelayMessage.to("a").id("toOne").payload("").build());
        await().until(() -> happenings.count("acknowledged") == 2);
        one.close();
        one.engine.close();
        nodes.remove(one);
        other.template.send(DelayMessage.to("b").id("again").payload("").build());
        await().until(() -> happenings.count("acknowledged again") == 1);
    }

    @Test
    void listenersAddNoThread() throws Exception {
        startListeners(100);
    }

    @Test
    @Tag("long")
    @Tag("core")
    void fiveHundredListenersStartInSeconds() throws Exception {
        long begin = System.nanoTime();
        startListeners(500);
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        System.out.println("500 listeners started, and the last one delivered, in " + took.toMillis() + " ms");
        assertThat(took).isLessThan(Duration.ofSeconds(30));
    }

    /** Threads of the engine are in the group of the thread that created it; threads of other engines are not. */
    private void startListeners(int count) throws Exception {
        ThreadGroup group = new ThreadGroup("listeners");
        FutureTask<Void> test = new FutureTask<>(() -> startListeners(count, group), null);
        new Thread(group, test).start();
        test.get();
    }

    private void startListeners(int count, ThreadGroup group) {
        QueueNode node = node();
        for (int i = 0; i < count; i++) {
            node.listen("topic" + i, ListenerOptions.DEFAULTS, deliveries -> null);
        }
        node.template.send(
                DelayMessage.to("topic" + (count - 1)).id("m").payload("").build());
        await().until(() -> happenings.count("acknowledged m") == 1);
        long threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getThreadGroup() == group)
                .filter(thread -> thread.getName().startsWith(DelayQueueEngine.THREAD_NAME))
                .filter(thread -> !thread.getName().contains("handler"))
                .count();
        assertThat(threads).isBetween(2L, EngineSettings.DEFAULTS.taskThreads() + 1L);
    }

    private static Set<Thread> engineThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(DelayQueueEngine.THREAD_NAME))
                .collect(Collectors.toSet());
    }
}
