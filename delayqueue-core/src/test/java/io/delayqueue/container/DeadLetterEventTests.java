package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.event.EventBus;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.Due;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.Purge;
import io.delayqueue.template.DelayQueueUnavailableException;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisRequest;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Listeners receive notifications of dead letters, and retention prunes dead letters. */
class DeadLetterEventTests extends HandlingTest {

    private final Queue<String> notifications = new ConcurrentLinkedQueue<>();

    DeadLetterEventTests(RedisServerProcess redis) {
        super(redis);
    }

    private @Nullable CompletionStage<?> note(List<Delivery> deliveries) {
        notifications.add(deliveries.get(0).id());
        return null;
    }

    private void deadLetterAll() {
        listen(QUICK, DeadLetterEventTests::deadLetter);
    }

    private static @Nullable CompletionStage<?> deadLetter(List<Delivery> deliveries) {
        for (Delivery delivery : deliveries) {
            assertThat(delivery.acknowledgement().deadLetter("dies")).isNotNull();
        }
        return null;
    }

    @Test
    void deadLetterNamesTheNodeAndHandlingTimeOfItsLastAttempt() {
        Duration least = Duration.ofSeconds(5);
        listen(QUICK, deliveries -> {
            time.jump(least);
            throw new IllegalStateException("no");
        });
        send("a");
        Awaitility.await().until(() -> deadLetters().size() == 1);
        assertThat(deadLetters().get(0).node()).isEqualTo(node.name);
        assertThat(deadLetters().get(0).handling()).isGreaterThanOrEqualTo(least);
    }

    @Test
    void deadLetterIsNotifiedEvenIfItsListenerHasNotPolledBefore() {
        ListenerContainer attending = node.container("t", QueueKind.NOTIFICATIONS, QUICK, this::note);
        attending.pause();
        attending.start();
        deadLetterAll();
        send("a");
        Awaitility.await().until(() -> deadLetters().size() == 1);

        attending.resume();

        Awaitility.await()
                .until(() -> notifications.contains(deadLetters().get(0).deadLetterId()));
    }

    @Test
    void eachStoredDeadLetterIsNotified() {
        Queue<Boolean> found = new ConcurrentLinkedQueue<>();
        listenToDeadLetters(deliveries -> {
            String deadLetter = deliveries.get(0).id();
            found.add(
                    deadLetters().stream().anyMatch(each -> each.deadLetterId().equals(deadLetter)));
            return note(deliveries);
        });
        deadLetterAll();
        send("a", "b");
        Awaitility.await().until(() -> found.size() == 2);
        assertThat(found).containsOnly(true);
        assertThat(notifications)
                .containsExactlyInAnyOrderElementsOf(deadLetters().stream()
                        .map(deadLetter -> deadLetter.deadLetterId())
                        .toList());
    }

    /** The client library sends the script again, which finds nothing. */
    @Test
    void cancelReplayOrPurgeWhoseReplyIsLostIsNotReportedAsNotFound() {
        send("a");
        try (FaultProxy proxy = FaultProxy.inFrontOf(redis);
                QueueNode behind = QueueNode.on(proxy.port()).start()) {
            assertThat(behind.template.cancel("t", "none")).isEqualTo(CancelOutcome.NOT_FOUND);
            proxy.cutNextReply(RedisRequest::isScript);
            assertThatThrownBy(() -> behind.template.cancel("t", "a"))
                    .isInstanceOf(DelayQueueUnavailableException.class);
            assertThat(behind.template.find("t", "a")).isEmpty();

            deadLetterAll();
            send("b", "c");
            Awaitility.await().until(() -> deadLetters().size() == 2);
            Due later = Due.after(Duration.ofHours(1));
            List<String> dead = List.of(deadLetters().get(0).deadLetterId());
            assertThat(Await.result(behind.store.replay(SHARD, List.of("none"), later)))
                    .containsExactly(ReplayOutcome.NOT_FOUND);
            proxy.cutNextReply(RedisRequest::isScript);
            assertThatThrownBy(() -> Await.call(() -> behind.store.replay(SHARD, dead, later)))
                    .isInstanceOf(RedisCallException.class);

            Purge purge = new Purge.Named(List.of(deadLetters().get(0).deadLetterId()));
            assertThat(Await.result(behind.store.purge(SHARD, new Purge.Named(List.of("none@n")))))
                    .isZero();
            proxy.cutNextReply(RedisRequest::isScript);
            assertThatThrownBy(() -> Await.call(() -> behind.store.purge(SHARD, purge)))
                    .isInstanceOf(RedisCallException.class);
            assertThat(deadLetters()).isEmpty();
        }
    }

    @Test
    void deadLetterIsNotifiedEvenIfTheNodeIsKilledRightAfterIt() {
        listenToDeadLetters(this::note).stop().join();
        try (FaultProxy proxy = FaultProxy.inFrontOf(redis)) {
            QueueNode killed = QueueNode.on(proxy.port()).start();
            proxy.cutNextReply(
                            request -> request.isScript() && request.arguments().contains("REQUESTED"))
                    .thenRun(proxy::refuse);
            killed.listen("t", QUICK.toBuilder().drainTime(Duration.ZERO).build(), DeadLetterEventTests::deadLetter);
            send("m");
            Awaitility.await().until(() -> deadLetters().size() == 1);
            listenToDeadLetters(this::note);
            Awaitility.await().until(() -> notifications.size() == 1);
            killed.abandon();
            killed.close();
        }
        assertThat(notifications).containsExactly(deadLetterOf("m").deadLetterId());
    }

    @Test
    void failingNotificationIsRetriedAndFinallyDropped() {
        AtomicInteger calls = new AtomicInteger();
        listenToDeadLetters(deliveries -> {
            calls.incrementAndGet();
            throw new IllegalStateException("fails");
        });
        deadLetterAll();
        send("m");
        await("notificationDropped " + "m@");
        await("deadLettered m REQUESTED");
        assertThat(calls).hasValue(3);
        assertThat(deadLetters()).hasSize(1);
        assertThat(happenings.of("deadLettered")).containsExactly("deadLettered m REQUESTED");
    }

    @Test
    void notificationDeadLetteredByItsListenerIsDroppedAndReported() {
        listenToDeadLetters(DeadLetterEventTests::deadLetter);
        deadLetterAll();
        send("m");
        await("notificationDropped m@");
        assertThat(deadLetters()).hasSize(1);
    }

    @Test
    void notificationsAreEnabledAgainAfterAFlush() {
        listenToDeadLetters(this::note);
        redis.command("FLUSHALL");
        time.jump(Duration.ofMinutes(2));
        time.passUntil(Duration.ofSeconds(1), () -> redis.command("HGET", "dq:{t:0.0}:meta", "notifications") != null);
        deadLetterAll();
        send("m");
        Awaitility.await().until(() -> notifications.size() == 1);
    }

    /** Replaces the node by one that keeps this many dead letters for a minute, or 25 kB. */
    private void prune(long maxCount) {
        replace(QueueNode.on(redis.port())
                .settings(Pacing.builtIn()
                        .retention(Duration.ofMillis(100), Duration.ofMinutes(1), maxCount)
                        .deadLetterMaxBytes(25_000)
                        .settings()));
    }

    @Test
    void deadLettersThatAreTooLargeTogetherArePruned() {
        prune(100);
        deadLetterAll();
        for (int i = 0; i < 4; i++) {
            node.template.send("t", "x".repeat(10_000));
        }
        await("deadLettersDropped");
        Awaitility.await()
                .until(() ->
                        happenings.count("deadLettered") == 4 && deadLetters().size() == 2);
    }

    @Test
    void deadLettersArePrunedByCountAndAgeAndReported() {
        prune(5);
        deadLetterAll();
        for (int i = 0; i < 12; i++) {
            send("m" + i);
        }
        awaitTimes("deadLettered", 12);
        Awaitility.await().until(() -> deadLetters().size() == 5);
        String oldest = deadLetters().get(0).deadLetterId();
        redis.command("ZADD", "dq:{t:0.0}:dead", "XX", "1", oldest);
        Awaitility.await().until(() -> deadLetters().size() == 4);
        Awaitility.await()
                .until(() -> happenings.of("deadLettersDropped").stream()
                                .mapToInt(line -> Integer.parseInt(line.split(" ", -1)[1]))
                                .sum()
                        == 8);
    }

    @Test
    void retentionContinuesAfterATopicThatCannotBeRead() {
        redis.command("HSET", "dq:{foreign:0.0}:meta", "identity", "9:1:1");
        prune(0);
        node.listen("foreign", QUICK, deliveries -> null);
        deadLetterAll();
        node.template.send(message("t", "m"));
        await("deadLettersDropped 1");
    }

    @Test
    void retentionContinuesAfterAShardThatFails() {
        deadLetterAll();
        send("m");
        Awaitility.await().until(() -> deadLetters().size() == 1);
        node.template.send(message("broken", "m"));
        redis.command("SET", "dq:{broken:0.0}:dead", "no dead letters");
        RetentionTask retention = new RetentionTask(
                node.store,
                new LinkedHashSet<>(List.of(Shard.single("broken"), SHARD)),
                Pacing.quiet()
                        .retention(Duration.ofDays(1), Duration.ofDays(30), 0)
                        .settings(),
                new EventBus(List.of()),
                System::nanoTime);

        assertThatThrownBy(retention::run).isInstanceOf(RedisCallException.class);

        assertThat(deadLetters()).isEmpty();
    }
}
