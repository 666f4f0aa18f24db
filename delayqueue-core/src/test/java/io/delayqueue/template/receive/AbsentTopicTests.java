package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.script.TopicDeletion;
import io.delayqueue.store.script.TopicRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Receiving registers no topic; receivers notice when a send registers it. */
class AbsentTopicTests extends ReceiveTest {

    private static final int NAMES = 100;

    private List<CompletableFuture<List<LeasedDelivery>>> waitForAbsentTopics(DefaultDelayQueueReceiver by) {
        return IntStream.range(0, NAMES)
                .mapToObj(i -> by.receiveAsync("absent" + i, 1, LONG))
                .toList();
    }

    private List<?> keys() {
        return (List<?>) server.command("KEYS", queue.keySpace.namespace() + ":*");
    }

    @Test
    void receivingRegistersNoTopicAndWritesNoKey() {
        assertThat(receiveNow(1)).isEmpty();
        CompletableFuture<List<LeasedDelivery>> one = receiver.receiveAsync("other", 1, LONG);
        CompletableFuture<List<LeasedDelivery>> any =
                receiver.receiveAsync(ReceiveRequest.from("a", "b", "c").waitTime(LONG));
        awaitAsleep();
        pass(LONG);
        assertThat(ids(one)).isEmpty();
        assertThat(ids(any)).isEmpty();

        assertThat(keys()).isEmpty();
    }

    @Test
    void topicsWithoutWaitingReceiversUseNoMemory() {
        List<CompletableFuture<List<LeasedDelivery>>> waiting = waitForAbsentTopics(receiver);
        assertThat(receiver.kept()).isEqualTo(NAMES);
        send("a", Duration.ZERO);
        assertThat(join(receiveOne().acknowledge())).isTrue();

        waiting.forEach(each -> each.cancel(false));

        awaitNoTasks();
        assertThat(receiver.kept()).isZero();
    }

    @Test
    void firstSendWakesReceiversAtOnce() {
        CompletableFuture<List<LeasedDelivery>> waiting = waiting(1);
        awaitAsleep();

        send("a", Duration.ZERO);

        assertThat(ids(waiting)).containsExactly("a");
    }

    @Test
    void absentTopicIsLookedUpOncePerSweep() {
        signals.stop();
        List<CompletableFuture<List<LeasedDelivery>>> waiting = waitForAbsentTopics(receiver);
        awaitAsleep();
        int calls = queue.calls();

        pass(SWEEP);
        awaitAsleep();

        assertThat(queue.calls() - calls).isEqualTo(NAMES);
        template.send(DelayMessage.to("absent7").id("a").payload("p").build());
        pass(SWEEP);
        assertThat(ids(waiting.get(7))).containsExactly("a");
        assertThat(waiting.get(8)).isNotDone();
    }

    @Test
    void waitThatTimesOutDuringALookUpReceivesFromTheTopicThatItFinds() {
        signals.stop();
        CompletableFuture<?> timedOut = new CompletableFuture<>();
        CompletableFuture<?> lookedUp = new CompletableFuture<>();
        AtomicInteger lookUps = new AtomicInteger();
        // holds the second look-up until the wait has timed out
        ScriptRunner held = call -> {
            if (!call.script().name().equals("register") || lookUps.incrementAndGet() != 2) {
                return queue.scripts.run(call);
            }
            lookedUp.complete(null);
            return timedOut.thenCompose(any -> queue.scripts.run(call));
        };
        try (DefaultDelayQueueReceiver sweeping =
                builder(queue.store, new TopicRegistry(held, queue.keySpace)).build()) {
            CompletableFuture<List<LeasedDelivery>> waiting = sweeping.receiveAsync("orders", 1, LONG);
            awaitAsleep();
            pass(SWEEP);
            join(lookedUp);
            send("a", Duration.ZERO);
            pass(LONG);
            awaitAsleep();
            timedOut.complete(null);

            assertThat(ids(waiting)).containsExactly("a");
        }
    }

    @Test
    void topicThatIsDeletedWhileAReceiverWaitsIsNotRegisteredAgain() {
        queue.topics.shards("orders").join();
        CompletableFuture<List<LeasedDelivery>> waiting = waiting(1);
        awaitAsleep();
        TopicRegistry elsewhere = new TopicRegistry(queue.scripts, queue.keySpace);
        assertThat(new TopicDeletion(queue.scripts, queue.keySpace, elsewhere).delete("orders"))
                .isTrue();

        assertThat(receiveNow(1)).isEmpty();
        assertThat(elsewhere.freshShards("orders").join().isPresent()).isFalse();
        assertThat(waiting).isNotDone();
        send("a", Duration.ZERO);
        assertThat(ids(waiting)).containsExactly("a");
    }

    @Test
    void deliveriesAreSettledAfterTheirTopicWasForgotten() {
        send("a", Duration.ZERO);
        send("b", Duration.ZERO);
        LeasedDelivery first = receiveOne();
        awaitNoTasks();
        assertThat(receiver.kept()).isZero();
        LeasedDelivery second = receiveOne();

        assertThat(join(first.retry(Duration.ofHours(1)))).isTrue();
        awaitNoTasks();
        assertThat(join(second.acknowledge())).isTrue();
        assertThat(counts().scheduled()).isEqualTo(1);
        assertThat(counts().leased()).isZero();
    }

    @Test
    void receivedTopicsAreRegisteredAsConsumed() {
        Set<String> consumed = new ConcurrentSkipListSet<>();
        try (DefaultDelayQueueReceiver registering = builder()
                .addConsumer((Shard shard) -> {
                    consumed.add(shard.topic());
                    return () -> consumed.remove(shard.topic());
                })
                .build()) {
            assertThat(registering.receive("absent", 1, Duration.ZERO)).isEmpty();
            send("a", Duration.ofHours(1));
            assertThat(registering.receive("orders", 1, Duration.ZERO)).isEmpty();

            awaitAsleep();
            pass(Duration.ofSeconds(1));
            await().until(() -> registering.kept() == 0);
            assertThat(consumed).containsExactly("orders");
        }
    }
}
