package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.redis.Await;
import java.time.Duration;
import java.util.List;
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
        CompletableFuture<List<LeasedDelivery>> waiting =
                receiver.receiveAsync(ReceiveRequest.from(TOPICS).waitTime(LONG));

        awaitAsleep();
        sendTo("third", "c", Duration.ofMinutes(1));
        pass(Duration.ofMinutes(1));

        assertThat(ids(waiting)).containsExactly("c");
        awaitNoTasks();
    }

    @Test
    void blockingReceiverReceivesFromOneOfTheTopics() {
        sendTo("second", "b", Duration.ZERO);
        ReceiveRequest request = ReceiveRequest.from(TOPICS).max(10);

        assertThat(receiver.receive(request.waitTime(LONG)))
                .extracting(LeasedDelivery::id)
                .containsExactly("b");
        assertThat(receiver.receive(request)).isEmpty();
    }

    @Test
    void aCancelledReceiverReceivesNothing() {
        CompletableFuture<List<LeasedDelivery>> waiting =
                receiver.receiveAsync(ReceiveRequest.from(TOPICS).waitTime(LONG));
        waiting.cancel(false);

        TOPICS.forEach(topic -> sendTo(topic, "of " + topic, Duration.ZERO));

        assertThat(ids(receiveAny(LONG))).containsExactly("of first");
        awaitNoTasks();
        assertThat(counts("second").ready()).isEqualTo(1);
    }

    @Test
    void aTopicNamedTwiceCountsOnce() {
        sendTo("first", "a", Duration.ZERO);

        assertThat(ids(receiver.receiveAsync(
                        ReceiveRequest.from("first", "first").waitTime(LONG))))
                .containsExactly("a");
    }

    @Test
    void topicsAreOneToAHundred() {
        List<String> many = IntStream.rangeClosed(0, 100).mapToObj(i -> "t" + i).toList();
        Stream.of(List.<String>of(), many)
                .forEach(topics -> assertThatThrownBy(() -> ReceiveRequest.from(topics))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("1 to 100 topics"));
    }

    private CompletableFuture<List<LeasedDelivery>> receiveAny(Duration wait) {
        return receiver.receiveAsync(ReceiveRequest.from(TOPICS).waitTime(wait));
    }

    private void sendTo(String topic, String id, Duration delay) {
        template.send(DelayMessage.to(topic).id(id).payload("p").delay(delay).build());
    }

    private TopicCounts counts(String topic) {
        return Await.result(queue.store.count(Shard.single(topic))).counts();
    }
}
