package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.CrashLimits;
import io.delayqueue.store.script.TopicDeletion;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueUnavailableException;
import io.delayqueue.template.QueueOnRedis;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Receiving registers no topic; receivers notice when a send registers it. */
class AbsentTopicTests extends ReceiveTest {

    private static final int NAMES = 100;

    private List<CompletableFuture<List<LeasedDelivery>>> waitForAbsentTopics(DefaultDelayQueueReceiver by) {
        return IntStream.range(0, NAMES)
                .mapToObj(i -> by.receiveAsync("absent" + i, 1, LONG, LEASE))
                .toList();
    }

    private List<?> keys() {
        return (List<?>) server.command("KEYS", queue.keySpace().namespace() + ":*");
    }

    @Test
    void receivingRegistersNoTopicAndWritesNoKey() {
        assertThat(receiveNow(1)).isEmpty();
        assertThat(receiver.receive("other", 1, Duration.ofMillis(50), LEASE)).isEmpty();
        assertThat(join(receiver.receiveAsync(List.of("a", "b", "c"), 1, Duration.ofMillis(50), LEASE)))
                .isEmpty();

        assertThat(keys()).isEmpty();
    }

    @Test
    void topicsWithoutWaitingReceiversUseNoMemory() {
        List<CompletableFuture<List<LeasedDelivery>>> waiting = waitForAbsentTopics(receiver);
        assertThat(receiver.kept()).isEqualTo(NAMES);
        send("a", Duration.ZERO);
        assertThat(join(receiveOne().acknowledge())).isTrue();

        waiting.forEach(each -> each.cancel(false));

        await().until(() -> receiver.kept() == 0);
        assertThat(tasks.scheduled()).isZero();
    }

    @Test
    void firstSendWakesReceiversAtOnce() {
        awaitSubscription();
        CompletableFuture<List<LeasedDelivery>> waiting = receiver.receiveAsync("orders", 1, LONG, LEASE);
        awaitAsleep();

        send("a", Duration.ZERO);

        assertThat(join(waiting)).extracting(LeasedDelivery::id).containsExactly("a");
    }

    @Test
    void firstSendOfADelayedMessageIsNoticed() {
        awaitSubscription();
        CompletableFuture<List<LeasedDelivery>> waiting = receiver.receiveAsync("orders", 1, LONG, LEASE);
        awaitAsleep();

        send("a", Duration.ofMillis(300));

        assertThat(join(waiting)).extracting(LeasedDelivery::id).containsExactly("a");
    }

    @Test
    void allAbsentTopicsAreFoundByOneListingOfTopics() {
        signals.stop();
        Duration sweep = Duration.ofMillis(300);
        try (DefaultDelayQueueReceiver sweeping =
                receiver(new ReceiveSettings(sweep, sweep, 3, 0, CrashLimits.DEFAULTS, Duration.ZERO))) {
            List<CompletableFuture<List<LeasedDelivery>>> waiting = waitForAbsentTopics(sweeping);
            await().until(() -> queue.proxy().traffic().requests("EVALSHA") >= NAMES + 3);
            queue.proxy().traffic().reset();
            int calls = tasks.calls();
            await().until(() -> queue.proxy().traffic().requests("EVALSHA") >= 3);

            assertThat(tasks.calls() - calls).isLessThan(NAMES);
            template.send(DelayMessage.to("absent7").id("a").payload("p").build());
            assertThat(join(waiting.get(7))).extracting(LeasedDelivery::id).containsExactly("a");
            assertThat(waiting.get(8)).isNotDone();
        }
    }

    @Test
    void waitThatTimesOutDuringAListingReceivesFromTheTopicThatTheListingFinds() {
        signals.stop();
        Duration sweep = Duration.ofMillis(50);
        CompletableFuture<?> timedOut = new CompletableFuture<>();
        CompletableFuture<?> listingBegun = new CompletableFuture<>();
        // holds the list of topics until the wait has timed out
        ScriptRunner held = call -> {
            if (!call.script().name().equals("topics")) {
                return queue.scripts().run(call);
            }
            listingBegun.complete(null);
            return timedOut.thenCompose(any -> queue.scripts().run(call));
        };
        try (DefaultDelayQueueReceiver sweeping = DefaultDelayQueueReceiver.builder(
                        queue.store(), new TopicRegistry(held, queue.keySpace()), QueueOnRedis.codec(), signals, tasks)
                .settings(new ReceiveSettings(sweep, sweep, 3, 0, CrashLimits.DEFAULTS, Duration.ZERO))
                .build()) {
            CompletableFuture<List<LeasedDelivery>> waiting =
                    sweeping.receiveAsync("orders", 1, Duration.ofMillis(300), LEASE);
            join(listingBegun);
            send("a", Duration.ZERO);
            timedOut.completeOnTimeout(null, 350, TimeUnit.MILLISECONDS);

            assertThat(join(waiting)).extracting(LeasedDelivery::id).containsExactly("a");
        }
    }

    @Test
    void topicThatIsDeletedWhileAReceiverWaitsIsNotRegisteredAgain() {
        awaitSubscription();
        queue.topics().shards("orders").join();
        CompletableFuture<List<LeasedDelivery>> waiting = receiver.receiveAsync("orders", 1, LONG, LEASE);
        awaitAsleep();
        TopicRegistry elsewhere = new TopicRegistry(queue.scripts(), queue.keySpace());
        assertThat(new TopicDeletion(queue.scripts(), queue.keySpace(), elsewhere).delete("orders"))
                .isTrue();

        assertThat(receiveNow(1)).isEmpty();
        assertThat(elsewhere.freshShards("orders").join().isPresent()).isFalse();
        assertThat(waiting).isNotDone();
        send("a", Duration.ZERO);
        assertThat(join(waiting)).extracting(LeasedDelivery::id).containsExactly("a");
    }

    @Test
    void settlementForADeletedTopicIsRejectedAndDoesNotRegisterIt() {
        send("a", Duration.ZERO);
        LeasedDelivery delivery = receiveOne();
        TopicRegistry elsewhere = new TopicRegistry(queue.scripts(), queue.keySpace());
        template.cancel("orders", "a");
        assertThat(new TopicDeletion(queue.scripts(), queue.keySpace(), elsewhere).delete("orders"))
                .isTrue();

        assertThat(join(delivery.acknowledge())).isFalse();

        assertThat(elsewhere.freshShards("orders").join().isPresent()).isFalse();
    }

    @Test
    void waitingInAnOutageFailsAsUnavailable() {
        Duration sweep = Duration.ofMillis(100);
        try (DefaultDelayQueueReceiver sweeping =
                receiver(new ReceiveSettings(sweep, sweep, 3, 0, CrashLimits.DEFAULTS, Duration.ZERO))) {
            CompletableFuture<List<LeasedDelivery>> waiting =
                    sweeping.receiveAsync("orders", 1, Duration.ofSeconds(2), LEASE);
            await().until(() -> queue.proxy().traffic().requests("EVALSHA") > 0);
            queue.proxy().refuse();
            queue.proxy().disconnect();

            assertThatThrownBy(() -> join(waiting))
                    .hasCauseInstanceOf(DelayQueueUnavailableException.class)
                    .hasMessageContaining("orders");
            queue.proxy().pass();
        }
    }

    @Test
    void deliveriesAreSettledAfterTheirTopicWasForgotten() {
        send("a", Duration.ZERO);
        send("b", Duration.ZERO);
        LeasedDelivery first = receiveOne();
        await().until(() -> receiver.kept() == 0);
        LeasedDelivery second = receiveOne();

        assertThat(join(first.retry(Duration.ofHours(1)))).isTrue();
        await().until(() -> receiver.kept() == 0);
        assertThat(join(second.acknowledge())).isTrue();
        assertThat(counts().scheduled()).isEqualTo(1);
        assertThat(counts().leased()).isZero();
    }

    @Test
    void receivedTopicsAreRegisteredAsConsumed() {
        Set<String> consumed = new ConcurrentSkipListSet<>();
        try (DefaultDelayQueueReceiver registering = DefaultDelayQueueReceiver.builder(
                        queue.store(), queue.topics(), QueueOnRedis.codec(), signals, tasks)
                .settings(SETTINGS)
                .addConsumer((Shard shard) -> {
                    consumed.add(shard.topic());
                    return () -> consumed.remove(shard.topic());
                })
                .build()) {
            assertThat(registering.receive("absent", 1, Duration.ZERO, LEASE)).isEmpty();
            send("a", Duration.ofHours(1));
            assertThat(registering.receive("orders", 1, Duration.ZERO, LEASE)).isEmpty();

            await().until(() -> registering.kept() == 0);
            assertThat(consumed).containsExactly("orders");
        }
    }
}
