package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.RetryDecision.RetryAfter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** The engine recovers by itself from each failure of Redis and of the network. */
class OutageTests extends OutageTest {

    private static final Shard SHARD = Shard.single("t");

    private final MovableTime time = new MovableTime();

    private void awaitWhileTimePasses(BooleanSupplier condition) {
        await().until(() -> {
            time.jump(Duration.ofSeconds(1));
            return condition.getAsBoolean();
        });
    }

    @Test
    void listenerStartsWithoutRedis() {
        proxy.refuse();
        listen(start(QueueNode.on(proxy.port())));
        await().until(() -> happenings.count("taskFailed") > LISTENERS);
        assertQuiet(3);
        proxy.pass();
        deliver(sender(), "after");
    }

    @Test
    void settlementThatFailsIsRepeatedAfterTheOutage() {
        QueueNode node = working(start(QueueNode.on(proxy.port())
                .commandTimeout(Duration.ofSeconds(1)) // ends the call that waits for a connection
                .time(time)));
        Queue<Acknowledgement> held = new ConcurrentLinkedQueue<>();
        node.listen("held", ListenerOptions.DEFAULTS, deliveries -> {
            held.add(deliveries.get(0).acknowledgement());
            return new CompletableFuture<>();
        });
        sender().template.send(DelayMessage.to("held").id("h").payload("").build());
        await().until(() -> held.size() == 1);
        proxy.refuse();
        proxy.disconnect();
        CompletableFuture<Boolean> accepted = held.remove().acknowledge();
        await().until(() -> happenings.of("taskFailed").stream().anyMatch(line -> line.contains("held")));
        assertThat(accepted).isNotDone();
        proxy.pass();
        awaitWhileTimePasses(accepted::isDone);
        assertThat(accepted).isCompletedWithValue(true);
        deliver(sender(), "after");
        assertThat(happenings.of("deadLettered")).isEmpty();
    }

    @Test
    void resetConnectionsAreReplaced() {
        working(start(QueueNode.on(proxy.port())));
        proxy.disconnect();
        deliver(sender(), "after");
        redis.command("CLIENT", "KILL", "TYPE", "normal");
        deliver(sender(), "normal");
        redis.command("CLIENT", "KILL", "TYPE", "pubsub");
        deliver(sender(), "pubsub");
    }

    @Test
    void forgottenScriptsAreSentAgain() {
        working(start(QueueNode.on(proxy.port())));
        redis.command("SCRIPT", "FLUSH");
        deliver(sender(), "after");
        assertQuiet(0);
    }

    @Test
    void replicaThatBecomesMasterIsServedAgain() {
        working(start(QueueNode.on(proxy.port()).time(time)));
        redis.command("REPLICAOF", "127.0.0.1", "1");
        awaitWhileTimePasses(() -> happenings.of("taskFailed").stream().anyMatch(line -> line.contains("READONLY")));
        redis.command("REPLICAOF", "NO", "ONE");
        sender().template.send(message("after"));
        awaitWhileTimePasses(() -> happenings.count("acknowledged after") == 1);
        assertQuiet(6);
    }

    @Test
    void fullMemoryRejectsSendsAndDrains() {
        QueueNode node = working(start(QueueNode.on(proxy.port())));
        ListenerOptions options = ListenerOptions.DEFAULTS.toBuilder()
                .retryPolicy(failed -> new RetryAfter(Duration.ofMillis(50)))
                .maxAttempts(2)
                .build();
        ListenerContainer container = node.container("u", QueueKind.MESSAGES, options, deliveries -> {
            int number = Integer.parseInt(deliveries.get(0).id().substring(1));
            if (number % 10 == 0 || (number % 10 == 1 && deliveries.get(0).attempt() == 1)) {
                throw new IllegalStateException("fails");
            }
            return null;
        });
        List<DelayMessage> backlog = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            backlog.add(
                    DelayMessage.to("u").id("u" + i).payload("x".repeat(1000)).build());
        }
        QueueNode sender = sender();
        sender.template.sendAll(backlog);
        redis.command("CONFIG", "SET", "maxmemory", "1mb");
        assertThatThrownBy(() -> sender.template.send(message("rejected"))).hasMessageContaining("OOM");
        container.start();
        await().until(() -> happenings.count("acknowledged u") == 450 && happenings.count("deadLettered u") == 50);
        assertThat(happenings.count("retried u")).isEqualTo(100);
        redis.command("CONFIG", "SET", "maxmemory", "0");
        deliver(sender, "after");
    }

    @Test
    void deliveryContinuesAfterAFlush() throws Exception {
        QueueNode node = working(start(QueueNode.on(proxy.port())));
        CountDownLatch flushed = new CountDownLatch(1);
        CountDownLatch running = new CountDownLatch(1);
        Queue<Boolean> accepted = new ConcurrentLinkedQueue<>();
        node.listen("u", ListenerOptions.DEFAULTS, deliveries -> {
            running.countDown();
            assertThat(flushed.await(60, TimeUnit.SECONDS)).isTrue();
            accepted.add(deliveries.get(0).acknowledgement().acknowledge().get(60, TimeUnit.SECONDS));
            return null;
        });
        sender().template.send(DelayMessage.to("u").id("u").payload("").build());
        assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
        redis.command("FLUSHALL");
        flushed.countDown();
        await().until(() -> accepted.size() == 1);
        assertThat(accepted).containsExactly(false);
        deliver(sender(), "after");
        assertThat(Await.result(node.store.count(SHARD)).counts().scheduled()).isZero();
    }

    @Test
    void removedScheduleIsWrittenAgain() {
        working(start(QueueNode.on(proxy.port())));
        redis.command("DEL", "dq:{t:0.0}:schedule");
        deliver(sender(), "after");
        assertThat(happenings.of("taskFailed")).isEmpty();
        assertThat(redis.command("ZCARD", "dq:{t:0.0}:schedule")).isEqualTo(1L);
    }
}
