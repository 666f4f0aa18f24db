package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard.QueueKind;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Listeners receive notifications of dead letters, and retention prunes dead letters. */
class DeadLetterEventTests extends HandlingTest {

    private final Queue<String> notifications = new ConcurrentLinkedQueue<>();

    DeadLetterEventTests(RedisServerProcess redis) {
        super(redis);
    }

    private ListenerContainer listenToDeadLetters(QueueNode where) {
        ListenerContainer attending = where.container("t", QueueKind.NOTIFICATIONS, QUICK, deliveries -> {
            notifications.add(deliveries.get(0).id());
            return null;
        });
        attending.start();
        Awaitility.await().until(() -> redis.command("HGET", "dq:{t:0.0}:meta", "notifications") != null);
        return attending;
    }

    private void deadLetterAll() {
        listen(QUICK, deliveries -> {
            for (Delivery delivery : deliveries) {
                assertThat(delivery.acknowledgement().deadLetter("dies")).isNotNull();
            }
            return null;
        });
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
        ListenerContainer attending = node.container("t", QueueKind.NOTIFICATIONS, QUICK, deliveries -> {
            notifications.add(deliveries.get(0).id());
            return null;
        });
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
        node.container("t", QueueKind.NOTIFICATIONS, QUICK, deliveries -> {
                    String deadLetter = deliveries.get(0).id();
                    notifications.add(deadLetter);
                    found.add(deadLetters().stream()
                            .anyMatch(each -> each.deadLetterId().equals(deadLetter)));
                    return null;
                })
                .start();
        Awaitility.await().until(() -> redis.command("HGET", "dq:{t:0.0}:meta", "notifications") != null);
        deadLetterAll();
        send("a", "b");
        Awaitility.await().until(() -> found.size() == 2);
        assertThat(found).containsOnly(true);
        assertThat(notifications)
                .containsExactlyInAnyOrderElementsOf(deadLetters().stream()
                        .map(deadLetter -> deadLetter.deadLetterId())
                        .toList());
    }

    @Test
    void deadLetterIsNotifiedEvenIfTheNodeIsKilledRightAfterIt() {
        listenToDeadLetters(node).stop().join();
        try (FaultProxy proxy = FaultProxy.inFrontOf(redis)) {
            QueueNode killed = QueueNode.on(proxy.port()).start();
            proxy.cutNextReply(
                            request -> request.isScript() && request.arguments().contains("REQUESTED"))
                    .thenRun(proxy::refuse);
            killed.listen("t", QUICK.toBuilder().drainTime(Duration.ZERO).build(), deliveries -> {
                assertThat(deliveries.get(0).acknowledgement().deadLetter("dies"))
                        .isNotNull();
                return null;
            });
            send("m");
            Awaitility.await().until(() -> deadLetters().size() == 1);
            listenToDeadLetters(node);
            Awaitility.await().until(() -> notifications.size() == 1);
            killed.abandon();
            killed.close();
        }
        assertThat(notifications).containsExactly(deadLetterOf("m").deadLetterId());
    }

    @Test
    void failingNotificationIsRetriedAndFinallyDropped() {
        AtomicInteger calls = new AtomicInteger();
        node.container("t", QueueKind.NOTIFICATIONS, QUICK, deliveries -> {
                    calls.incrementAndGet();
                    throw new IllegalStateException("fails");
                })
                .start();
        Awaitility.await().until(() -> redis.command("HGET", "dq:{t:0.0}:meta", "notifications") != null);
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
        node.container("t", QueueKind.NOTIFICATIONS, QUICK, deliveries -> {
                    assertThat(deliveries.get(0).acknowledgement().deadLetter("enough"))
                            .isNotNull();
                    return null;
                })
                .start();
        Awaitility.await().until(() -> redis.command("HGET", "dq:{t:0.0}:meta", "notifications") != null);
        deadLetterAll();
        send("m");
        await("notificationDropped m@");
        assertThat(deadLetters()).hasSize(1);
    }

    @Test
    void notificationsAreEnabledAgainAfterAFlush() {
        listenToDeadLetters(node);
        redis.command("FLUSHALL");
        time.jump(Duration.ofMinutes(2));
        time.passUntil(STEP, () -> redis.command("HGET", "dq:{t:0.0}:meta", "notifications") != null);
        deadLetterAll();
        send("m");
        Awaitility.await().until(() -> notifications.size() == 1);
    }

    @Test
    void deadLettersArePrunedByCountAndAgeAndReported() {
        node.close();
        node = QueueNode.on(redis.port())
                .settings(Pacing.builtIn()
                        .retention(Duration.ofMillis(100), Duration.ofSeconds(60), 5)
                        .settings())
                .events(happenings)
                .start();
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
        node.close();
        redis.command("HSET", "dq:{foreign:0.0}:meta", "identity", "9:1:1");
        node = QueueNode.on(redis.port())
                .settings(Pacing.builtIn()
                        .retention(Duration.ofMillis(100), Duration.ofSeconds(60), 0)
                        .settings())
                .events(happenings)
                .start();
        node.listen("foreign", QUICK, deliveries -> null);
        deadLetterAll();
        node.template.send(DelayMessage.to("t").id("m").payload("").build());
        await("deadLettersDropped 1");
    }
}
