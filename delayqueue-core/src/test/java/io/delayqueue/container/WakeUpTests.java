package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Due;
import io.delayqueue.message.Shard;
import io.delayqueue.store.DeadLetterQuery;
import io.delayqueue.store.bench.ServerClock;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Messages are never early. They are handled at once by signals, and within a sweep interval without. */
@EmbeddedRedis
class WakeUpTests extends NodeTest {

    private static final Duration FAR = Duration.ofMinutes(10);
    private static final Duration SWEEP = EngineSettings.DEFAULTS.sweep();

    private final ServerClock clock;
    private final MovableTime time;

    WakeUpTests(RedisServerProcess redis) {
        super(redis);
        clock = new ServerClock(redis);
        time = new MovableTime(clock);
    }

    /** Only signals wake its pollers while a test runs. */
    private QueueNode idle() {
        QueueNode node = add(QueueNode.on(redis.port()).settings(Pacing.quiet().settings()));
        node.listen("t", ListenerOptions.DEFAULTS, deliveries -> null);
        await().until(node.signals::confirmed);
        node.template.send(message("warms up", Duration.ZERO));
        await().until(() -> happenings.count("acknowledged warms up") == 1);
        return node;
    }

    private QueueNode withoutSignals() {
        return add(QueueNode.on(redis.port()).silent().scripts(clock::over).time(time));
    }

    private static DelayMessage message(String id, Duration delay) {
        return DelayMessage.to("t").id(id).payload("").delay(delay).build();
    }

    @Test
    void noMessageIsHandledEarlyByTheClockOfRedis() {
        QueueNode node = add(QueueNode.on(redis.port()));
        Queue<Long> late = new ConcurrentLinkedQueue<>();
        node.listen("t", ListenerOptions.DEFAULTS, deliveries -> {
            late.add(redisMillis() - deliveries.get(0).dueAt().toEpochMilli());
            return null;
        });
        int count = 100;
        node.template.sendAll(IntStream.range(0, count)
                .mapToObj(i -> message("m" + i, Duration.ofMillis(7L * i)))
                .toList());
        await().until(() -> late.size() == count);
        assertThat(late).allMatch(millis -> millis >= 0);
    }

    @Test
    void withoutAnySignalDueMessagesAreHandledByTheSweep() {
        QueueNode node = withoutSignals();
        node.listen("t", ListenerOptions.DEFAULTS, deliveries -> null);
        time.awaitTasks();
        node.template.send(message("due", Duration.ZERO));
        node.template.send(message("later", Duration.ofMinutes(1)));
        awaitWhileTimePasses("acknowledged due");
        awaitWhileTimePasses("acknowledged later");
        await().until(() -> happenings.count("sweepFound") > 0);
    }

    @Test
    void withoutAnySignalAnIdleConsumerHelpsOneThatIsFull() {
        QueueNode busy = withoutSignals();
        QueueNode other = withoutSignals();
        ListenerOptions one =
                ListenerOptions.DEFAULTS.toBuilder().concurrency(1).prefetch(0).build();
        Queue<String> stuck = new ConcurrentLinkedQueue<>();
        for (QueueNode node : nodes) {
            node.listen("t", one, deliveries -> {
                if (deliveries.get(0).id().equals("stuck")) {
                    stuck.add("stuck");
                    assertThat(release.await(60, TimeUnit.SECONDS)).isTrue();
                }
                return null;
            });
        }
        busy.template.send(message("stuck", Duration.ZERO));
        time.passUntil(SWEEP, () -> stuck.size() == 1);
        other.template.sendAll(List.of(message("a", Duration.ZERO), message("b", Duration.ZERO)));
        awaitWhileTimePasses("acknowledged a");
        awaitWhileTimePasses("acknowledged b");
    }

    private void awaitWhileTimePasses(String happening) {
        time.passUntil(SWEEP, () -> happenings.count(happening) == 1);
    }

    @Test
    void idleConsumerGetsASendAtOnce() {
        QueueNode node = idle();
        node.template.send(message("later", FAR));
        assertWakes("now", () -> node.template.send(message("now", Duration.ZERO)));
    }

    @Test
    void headMovedByARescheduleWakes() {
        QueueNode node = idle();
        node.template.send(message("m", FAR));
        assertWakes("m", () -> node.template.reschedule("t", "m", Duration.ZERO));
    }

    @Test
    void headMovedByAReplayWakes() {
        QueueNode node = idle();
        node.listen("poison", ListenerOptions.DEFAULTS, deliveries -> {
            Delivery delivery = deliveries.get(0);
            return delivery.headers().isEmpty() && happenings.count("deadLettered") == 0
                    ? delivery.acknowledgement().deadLetter("once")
                    : null;
        });
        node.template.send(DelayMessage.to("poison").id("m").payload("").build());
        Shard shard = Shard.single("poison");
        await().until(() -> happenings.count("deadLettered m") == 1);
        String deadLetter = node.store
                .awaitDeadLetters(shard, new DeadLetterQuery.Page(null, 0, 1))
                .get(0)
                .deadLetterId();
        assertWakes("m", () -> node.store.awaitReplay(shard, deadLetter, Due.NOW));
    }

    @Test
    void anotherNodesRetryAndReleaseWake() {
        QueueNode leaving = idle();
        Map<String, Acknowledgement> held = new ConcurrentHashMap<>();
        ListenerContainer slow = leaving.listen(
                "u", ListenerOptions.DEFAULTS.toBuilder().concurrency(1).build(), deliveries -> {
                    held.put(deliveries.get(0).id(), deliveries.get(0).acknowledgement());
                    assertThat(release.await(60, TimeUnit.SECONDS)).isTrue();
                    return null;
                });
        leaving.template.send(DelayMessage.to("u").id("running").payload("").build());
        await().until(() -> held.size() == 1);
        leaving.template.send(DelayMessage.to("u").id("waiting").payload("").build());
        await().until(() -> leaving.store.awaitCount(Shard.single("u")).leased() == 2);

        QueueNode staying =
                add(QueueNode.on(redis.port()).settings(Pacing.quiet().settings()));
        staying.listen("u", ListenerOptions.DEFAULTS, deliveries -> null);
        await().until(staying.signals::confirmed);
        assertWakes("waiting", slow::pause);
        assertWakes(
                "running",
                () -> assertThat(held.get("running").retry(Duration.ZERO)).isNotNull());
    }

    @Test
    void consumerThatWasFullWakesTheOthers() {
        QueueNode node = idle();
        Queue<String> stuck = new ConcurrentLinkedQueue<>();
        ListenerOptions one =
                ListenerOptions.DEFAULTS.toBuilder().concurrency(1).prefetch(0).build();
        for (int i = 0; i < 2; i++) {
            node.listen("u", one, deliveries -> {
                if (deliveries.get(0).id().equals("stuck")) {
                    stuck.add("stuck");
                    assertThat(release.await(60, TimeUnit.SECONDS)).isTrue();
                }
                return null;
            });
        }
        node.template.send(DelayMessage.to("u").id("stuck").payload("").build());
        await().until(() -> stuck.size() == 1);
        assertWakes(
                "m",
                () -> node.template.send(
                        DelayMessage.to("u").id("m").payload("").build()));
    }

    private void assertWakes(String id, Runnable cause) {
        int before = happenings.count("acknowledged " + id);
        cause.run();
        await().until(() -> happenings.count("acknowledged " + id) == before + 1);
        assertThat(happenings.of("sweepFound")).isEmpty();
    }

    private long redisMillis() {
        List<?> time = (List<?>) redis.command("TIME");
        return Long.parseLong(time.get(0).toString()) * 1000
                + Long.parseLong(time.get(1).toString()) / 1000;
    }
}
