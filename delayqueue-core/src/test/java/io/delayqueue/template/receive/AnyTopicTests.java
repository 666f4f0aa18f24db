package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.store.ShardCounts;
import io.delayqueue.template.DelayQueueUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AnyTopicTests extends ReceiveTest {

    private static final List<String> TOPICS = List.of("first", "second", "third");

    @Test
    void theFirstTopicWithDueMessagesIsReceivedFrom() {
        sendTo("third", "c", Duration.ZERO);
        sendTo("second", "b", Duration.ZERO);

        assertThat(ids(receiveAny(LONG))).containsExactly("b");
        assertThat(ids(receiveAny(LONG))).containsExactly("c");
        assertThat(ids(receiveAny(Duration.ZERO))).isEmpty();
    }

    @Test
    void aMessageOfAnyTopicEndsTheWait() {
        CompletableFuture<List<LeasedDelivery>> waiting = receiver.receiveAsync(TOPICS, 1, LONG, LEASE);

        awaitAsleep();
        sendTo("third", "c", Duration.ofMinutes(1));
        pass(Duration.ofMinutes(1));

        assertThat(ids(waiting)).containsExactly("c");
        awaitNoTasks();
    }

    @Test
    void aWaitThatTimesOutEndsEmpty() {
        CompletableFuture<List<LeasedDelivery>> waiting = receiveAny(LONG);
        awaitAsleep();
        assertThat(waiting).isNotDone();

        pass(LONG);

        assertThat(ids(waiting)).isEmpty();
    }

    @Test
    void aCancelledReceiverReceivesNothing() {
        CompletableFuture<List<LeasedDelivery>> waiting = receiver.receiveAsync(TOPICS, 1, LONG, LEASE);
        waiting.cancel(false);

        TOPICS.forEach(topic -> sendTo(topic, "of " + topic, Duration.ZERO));

        assertThat(ids(receiveAny(LONG))).containsExactly("of first");
        awaitNoTasks();
        assertThat(counts("second").ready()).isEqualTo(1);
    }

    @Test
    void aTopicNamedTwiceCountsOnce() {
        sendTo("first", "a", Duration.ZERO);

        assertThat(ids(receiver.receiveAsync(List.of("first", "first"), 1, LONG, LEASE)))
                .containsExactly("a");
    }

    @Test
    void topicsAreOneToAHundred() {
        List<String> many = IntStream.rangeClosed(0, 100).mapToObj(i -> "t" + i).toList();
        Stream.of(List.<String>of(), many)
                .forEach(topics -> assertThatThrownBy(() -> receiver.receiveAsync(topics, 1, LONG, LEASE))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("1 to 100 topics"));
    }

    @Test
    void anOutageIsReported() {
        receiveAny(Duration.ZERO).join();
        queue.faults().refuse();
        CompletableFuture<List<LeasedDelivery>> waiting = receiveAny(LONG);
        pass(LONG);

        assertThatThrownBy(() -> join(waiting)).hasCauseInstanceOf(DelayQueueUnavailableException.class);
    }

    /** Several receivers wait for all topics, and some are cancelled at any time. */
    @Test
    void eachMessageIsDeliveredOnceWhileReceiversCancel() {
        int messages = 200;
        Random random = new Random(1);
        for (int i = 0; i < messages; i++) {
            sendTo(TOPICS.get(i % TOPICS.size()), "m" + i, Duration.ofMillis(i / 2));
        }
        Set<String> delivered = new HashSet<>();
        List<CompletableFuture<List<LeasedDelivery>>> waiting = new ArrayList<>();
        while (delivered.size() < messages) {
            while (waiting.size() < 8) {
                waiting.add(receiver.receiveAsync(TOPICS, 3, LONG, LEASE));
            }
            int one = random.nextInt(waiting.size());
            if (random.nextInt(3) == 0 && waiting.get(one).cancel(false)) {
                waiting.remove(one);
                continue;
            }
            CompletableFuture<?> some = CompletableFuture.anyOf(waiting.toArray(CompletableFuture[]::new));
            join(some);
            waiting.removeIf(wait -> {
                if (!wait.isDone()) {
                    return false;
                }
                for (LeasedDelivery delivery : wait.join()) {
                    assertThat(delivery.attempt()).isEqualTo(1);
                    assertThat(delivered.add(delivery.id())).isTrue();
                    assertThat(join(delivery.acknowledge())).isTrue();
                }
                return true;
            });
        }
        waiting.forEach(wait -> wait.cancel(false));
        await().until(() ->
                TOPICS.stream().map(this::counts).allMatch(counts -> counts.leased() + counts.ready() == 0));
    }

    private CompletableFuture<List<LeasedDelivery>> receiveAny(Duration wait) {
        return receiver.receiveAsync(TOPICS, 1, wait, LEASE);
    }

    private void sendTo(String topic, String id, Duration delay) {
        template.send(DelayMessage.to(topic).id(id).payload("p").delay(delay).build());
    }

    private ShardCounts counts(String topic) {
        return queue.store().awaitCount(Shard.single(topic));
    }
}
