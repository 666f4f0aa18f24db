package io.delayqueue.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.SendResult.Success;
import io.delayqueue.message.Shard.Keys;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.store.script.ShardPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Sends to a topic whose messages have keys: no call overtakes another. */
class KeyedSendTests extends HeldSendsTest {

    private static final SendLimits TWO_MESSAGES = new SendLimits(1 << 20, 1 << 16, Duration.ofDays(1), 2, 1 << 20);

    @Override
    protected ShardPlan plan() {
        return new ShardPlan(Map.of(), Map.of("orders", Keys.ORDERED), ShardPlan.OnConflict.FAIL);
    }

    private static DelayMessage keyed(String id) {
        return message(id).toBuilder().key("k").build();
    }

    private static List<DelayMessage> keyed(int count) {
        return IntStream.range(0, count).mapToObj(i -> keyed("m" + i)).toList();
    }

    private void openTopic() {
        queue.template().send(keyed("first"));
    }

    private DelayQueueTemplate ofTwoMessagesACall() {
        return builder(3).limits(TWO_MESSAGES).build();
    }

    private void callsAre(DelayQueueTemplate template, String... first) {
        sends.hold(first);
        CompletableFuture<List<Success>> sent = thread(() -> template.sendAll(keyed(6)));
        await().until(() -> !sends.calls().isEmpty());
        awaitAllBlocked();
        assertThat(sends.calls()).hasSize(1);

        sends.release(first);
        assertThat(sent.join()).hasSize(6);
        assertThat(sends.calls()).containsExactly(List.of("m0", "m1"), List.of("m2", "m3"), List.of("m4", "m5"));
    }

    @Test
    void aBatchIsSentCallByCall() {
        openTopic();

        callsAre(ofTwoMessagesACall(), "m0", "m1");
    }

    @Test
    void aBatchIsSentCallByCallAlsoIfTheTopicIsNew() {
        callsAre(ofTwoMessagesACall(), "m0", "m1");
    }

    /** The first call opens the shard, and until then forgets the registration. */
    @Test
    void whileTheTopicIsReadAgainMessagesStayTogether() {
        openTopic();
        DelayQueueTemplate template = ofTwoMessagesACall();
        sends.set((ids, call) -> {
            queue.topics.freshShards("orders");
            return call.get();
        });

        template.sendAll(keyed(6));

        assertThat(sends.calls()).containsExactly(List.of("m0", "m1"), List.of("m2", "m3"), List.of("m4", "m5"));
    }

    /** The first message is held alone, so that the others go together, and are rejected together. */
    private List<CompletableFuture<Success>> sendRejectedTogether() {
        openTopic();
        sends.set((ids, call) -> ids.size() > 1
                ? CompletableFuture.failedFuture(new RedisCallException(Kind.MEMORY_FULL, "rejected", null))
                : call.get());
        DelayQueueTemplate template = builder(3).build();
        sends.hold("m0");
        List<CompletableFuture<Success>> sent =
                keyed(4).stream().map(template::sendAsync).toList();
        sends.hold("m1");
        sends.release("m0");
        await().until(() -> sends.calls().size() == 3);
        return sent;
    }

    @Test
    void messagesThatAreRepeatedAloneDoNotOvertakeEachOther() {
        List<CompletableFuture<Success>> sent = sendRejectedTogether();
        assertThat(sends.calls()).containsExactly(List.of("m0"), List.of("m1", "m2", "m3"), List.of("m1"));

        sends.release("m1");
        CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).join();
        assertThat(sends.calls().subList(3, 5)).containsExactly(List.of("m2"), List.of("m3"));
    }

    @Test
    void withoutAReplyTheMessagesBehindAreNotTried() {
        List<CompletableFuture<Success>> sent = sendRejectedTogether();
        sends.set((ids, call) ->
                CompletableFuture.failedFuture(new RedisCallException(Kind.UNKNOWN, "no reply in time", null)));

        sends.release("m1");
        for (CompletableFuture<Success> each : sent.subList(1, 4)) {
            assertThat(each).failsWithin(Duration.ofSeconds(30));
        }
        assertThat(sends.calls()).hasSize(3);
    }

    @Test
    void messagesOfOneThreadKeepTheirOrderFromTheFirstUseOfATopic() {
        DelayQueueTemplate template = builder(3).build();
        List<CompletableFuture<Success>> sent = new ArrayList<>();
        sends.hold("m0");

        for (DelayMessage message : keyed(4)) {
            sent.add(template.sendAsync(message));
        }
        await().until(() -> !sends.calls().isEmpty());
        sent.add(template.sendAsync(keyed("m4")));
        assertThat(sends.calls()).containsExactly(List.of("m0"));

        sends.release("m0");
        CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).join();
        assertThat(sends.calls()).containsExactly(List.of("m0"), List.of("m1", "m2", "m3", "m4"));
        assertThat(template.batchers).hasSize(1);
    }
}
