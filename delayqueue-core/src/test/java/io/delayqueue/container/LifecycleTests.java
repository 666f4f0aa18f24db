package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.listener.DeliveryHandler;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.DurationText;
import io.delayqueue.message.MessageState;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.QueueConnections;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.PollReply;
import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Starting, pausing, stopping, closing. */
class LifecycleTests extends NodeTest {

    /** Far below the drain time, and below the command timeout, which ends a hanging call. */
    private static final Duration CLOSE_WAIT = Duration.ofMillis(500);

    private static final Duration PATIENCE = Duration.ofSeconds(60);

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
        return message("t", id);
    }

    /** One delivery is handled, one waits for the worker. */
    private ListenerContainer oneRunningOneWaiting(QueueNode node, Duration drain) throws Exception {
        ListenerContainer container = node.listen("t", oneWorker(drain), blocking());
        node.template.send(message("running"));
        assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
        node.template.send(message("waiting"));
        await().until(() -> Await.result(node.store.count(SHARD)).counts().leased() == 2);
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

    /** A callback may block, for example close the application, and the JVM's timer has one thread for all timeouts. */
    @Test
    void stopThatTimesOutDoesNotCompleteOnTheTimer() throws Exception {
        ListenerContainer container = oneRunningOneWaiting(node(), Duration.ofMillis(100));
        String thread = container
                .stop()
                .thenApply(stopped -> Thread.currentThread().getName())
                .get(60, TimeUnit.SECONDS);
        assertThat(thread).isNotEqualTo("CompletableFutureDelayScheduler");
        release.countDown();
    }

    /** A stop interrupts no thread: whatever a handler waits for, its message can still be acknowledged. */
    @Test
    void handlerThatStartsAfterTheDrainTimeIsNotInterrupted() throws Exception {
        AtomicReference<Boolean> interrupted = new AtomicReference<>();
        QueueNode node = add(QueueNode.on(redis.port()).interceptors((listener, deliveries, next) -> {
            blocking().handle(List.of());
            return next.proceed();
        }));
        ListenerContainer container = node.listen("t", oneWorker(Duration.ZERO), deliveries -> {
            interrupted.set(Thread.currentThread().isInterrupted());
            return null;
        });
        node.template.send(message("starting"));
        assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();

        container.stop().get(60, TimeUnit.SECONDS);
        assertThat(interrupted).hasNullValue();
        release.countDown();

        await().until(() -> happenings.count("acknowledged starting") == 1);
        assertThat(interrupted).hasValue(false);
    }

    @Test
    void stopWaitsForAHandlerWithALostLeaseAndItsSettlementIsRejected() throws Exception {
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
            PollReply reply = poll.call();
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
        CompletableFuture<Boolean> extended = held.get().extendLease(Duration.ofHours(1));
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

            assertThat(output)
                    .contains("Tasks of the delay queue engine did not end within " + DurationText.of(CLOSE_WAIT));
            node.close();
            nodes.remove(node);
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
            PollReply reply = poll.call();
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
    void listenersAddNoThread() {
        Set<Thread> before = engineThreads();
        QueueNode node = node();
        for (int i = 0; i < 100; i++) {
            node.listen("topic" + i, ListenerOptions.DEFAULTS, deliveries -> null);
        }
        node.template.send(message("topic99", "m"));
        await().until(() -> happenings.count("acknowledged m") == 1);
        assertThat(engineThreads().stream()
                        .filter(thread -> !before.contains(thread))
                        .filter(thread -> !thread.getName().contains("handler")))
                .hasSizeBetween(2, EngineSettings.DEFAULTS.taskThreads() + 2);
    }

    private static Set<Thread> engineThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().matches(DelayQueueEngine.THREAD_NAME + "-(?!redis-).*"))
                .collect(Collectors.toSet());
    }
}
