package io.delayqueue.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Durability;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.SendResult.Accepted;
import io.delayqueue.message.SendResult.Replaced;
import io.delayqueue.message.SendResult.Success;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.SendReply.Outcome;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.SendBatcher.Route;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SharedSendTests extends HeldSendsTest {

    private DelayQueueTemplate template(int maxElements, int maxBytes) {
        return builder()
                .limits(new SendLimits(1_000_000, 1000, SendLimits.DEFAULTS.maxDelay(), maxElements, maxBytes))
                .build();
    }

    private static List<String> ids(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "m" + i).toList();
    }

    private static <T> void joinAll(List<CompletableFuture<T>> futures) {
        CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).join();
    }

    @Test
    void messagesThatArriveDuringACallShareTheNext() {
        queue.open("orders");
        DelayQueueTemplate template = builder().build();
        sends.hold("m0");
        List<CompletableFuture<Success>> sent = new ArrayList<>();
        ids(0, 8).forEach(id -> sent.add(blocked(template, id)));

        sends.release("m0");

        joinAll(sent);
        assertThat(sends.calls()).containsExactly(ids(0, 1), ids(1, 8));
        assertThat(stored()).isEqualTo(8);
        assertThat(queue.recorded.lines()).containsExactly("sent orders 1", "sent orders 7");
    }

    @Test
    void noTwoCallsAtATimeHaveAMessageOfOneId() {
        queue.open("orders");
        DelayQueueTemplate template = builder(3).build();
        sends.hold("a");
        CompletableFuture<Success> first = template.sendAsync(message("a"));
        CompletableFuture<Success> second = template.sendAsync(message("a").toBuilder()
                .onDuplicate(OnDuplicate.REPLACE)
                .payload("new")
                .build());
        CompletableFuture<Success> behind = template.sendAsync(message("b"));

        assertThat(sends.calls()).hasSizeLessThanOrEqualTo(1);
        sends.release("a");

        joinAll(List.of(first, second, behind));
        assertThat(sends.calls()).containsExactly(List.of("a"), List.of("a", "b"));
    }

    @Test
    void aCallEndsAtItsElements() {
        queue.open("orders");
        DelayQueueTemplate template = template(3, 1_000_000);
        sends.hold("m0");
        List<CompletableFuture<Success>> sent =
                ids(0, 8).stream().map(id -> template.sendAsync(message(id))).toList();

        sends.release("m0");

        joinAll(sent);
        assertThat(sends.calls()).containsExactly(ids(0, 1), ids(1, 4), ids(4, 7), ids(7, 8));
    }

    @Test
    void aCallIsLimitedInBytesAndALargerMessageIsSentAlone() {
        queue.open("orders");
        DelayQueueTemplate template = template(500, 2000);
        sends.hold("a");
        List<CompletableFuture<Success>> sent = new ArrayList<>();
        sent.add(template.sendAsync(message("a")));
        for (DelayMessage message : List.of(
                message("b").toBuilder().payload("x".repeat(700)).build(),
                message("c").toBuilder().payload("x".repeat(700)).build(),
                message("d").toBuilder().payload("x".repeat(700)).build(),
                message("e").toBuilder().payload("x".repeat(9000)).build(),
                message("f"))) {
            sent.add(template.sendAsync(message));
        }

        sends.release("a");

        joinAll(sent);
        assertThat(sends.calls())
                .containsExactly(List.of("a"), List.of("b", "c"), List.of("d"), List.of("e"), List.of("f"));
    }

    @Test
    void messagesOfOneThreadLeaveInTheirOrderFromTheFirstUseOfATopic() {
        DelayQueueTemplate template = builder().build();

        joinAll(ids(0, 1000).stream().map(id -> template.sendAsync(message(id))).toList());

        assertThat(sends.calls().stream().flatMap(List::stream)).containsExactlyElementsOf(ids(0, 1000));
    }

    @Test
    void batcherOfUnknownShardsIsDroppedWhenItIsIdle() {
        ShardPlan plan = new ShardPlan(Map.of("orders", 3), ShardPlan.OnConflict.FAIL);
        new TopicRegistry(queue.scripts, queue.keySpace, plan).shards("orders").join();
        Route unknown = new Route(Shard.single("orders"), Durability.NONE);
        DelayQueueTemplate template = builder().build();
        sends.hold("a");
        CompletableFuture<Success> first = template.sendAsync(message("a"));
        await().until(() -> sends.calls().size() == 1);
        CompletableFuture<Success> second = template.sendAsync(
                message("a").toBuilder().onDuplicate(OnDuplicate.REPLACE).build());
        template.send(message("b"));
        assertThat(template.batchers).containsKey(unknown);

        sends.release("a");
        joinAll(List.of(first, second));
        template.send(message("c"));

        assertThat(second.join()).isInstanceOf(Replaced.class);
        assertThat(template.batchers).doesNotContainKey(unknown);
    }

    @Test
    void retiredBatcherTakesNoMessage() {
        queue.open("orders");
        SendBatcher batcher = new SendBatcher(
                new Route(Shard.single("orders"), Durability.NONE),
                sends.around(queue.store),
                queue.topics,
                queue.events,
                SendLimits.DEFAULTS,
                1,
                true);
        PendingMessage first = pending("a");
        sends.hold("a");
        assertThat(batcher.submit(List.of(first))).isTrue();
        assertThat(batcher.retire()).isFalse();

        sends.release("a");
        first.result().join();

        assertThat(batcher.retire()).isTrue();
        assertThat(batcher.submit(List.of(pending("b")))).isFalse();
        assertThat(batcher.send(pending("b"), QueueOnRedis.COMMAND_TIMEOUT)).isNull();
        assertThat(sends.calls()).containsExactly(List.of("a"));
    }

    private static PendingMessage pending(String id) {
        return new PendingMessage(message(id), id, "nonce" + id, Durability.NONE).serialised(new byte[0]);
    }

    @Test
    void aHangingCallOfOneTopicDelaysNoOther() {
        queue.open("orders");
        DelayQueueTemplate template = builder().build();
        sends.hold("a");
        CompletableFuture<Success> held = template.sendAsync(message("a"));

        assertThat(template.send("parcels", "p")).isInstanceOf(Accepted.class);
        assertThat(template.sendAsync("parcels", "q").join()).isInstanceOf(Accepted.class);

        assertThat(held).isNotDone();
        sends.release("a");
        assertThat(held.join()).isInstanceOf(Accepted.class);
    }

    @Test
    void aCallStartsWhenAsManyMessagesWaitAsAreInProgress() {
        queue.open("orders");
        DelayQueueTemplate template = builder(10).build();
        Stream.of(ids(0, 1), ids(1, 2), ids(2, 4), ids(4, 8)).forEach(call -> sends.hold(call.toArray(String[]::new)));

        List<CompletableFuture<Success>> sent =
                ids(0, 11).stream().map(id -> template.sendAsync(message(id))).toList();

        assertThat(sends.calls()).containsExactly(ids(0, 1), ids(1, 2), ids(2, 4), ids(4, 8));
        sends.release("m0");
        sends.release("m1");
        sends.release("m2", "m3");
        assertThat(sends.calls()).hasSize(4);
        sends.release("m4", "m5", "m6", "m7");
        joinAll(sent);
        assertThat(sends.calls()).containsExactly(ids(0, 1), ids(1, 2), ids(2, 4), ids(4, 8), ids(8, 11));
    }

    @Test
    void halvesOfABatchAreSentSideBySide() {
        queue.open("orders");
        sends.hold("m0", "m1");
        sends.hold("m2", "m3");
        DelayQueueTemplate template = template(4, 1_000_000);
        CompletableFuture<List<Success>> sent = thread(() ->
                template.sendAll(ids(0, 6).stream().map(HeldSendsTest::message).toList()));

        await().until(() -> sends.calls().size() == 2);
        assertThat(sends.calls()).containsExactly(ids(0, 2), ids(2, 4));
        sends.release("m2", "m3");
        await().until(() -> sends.calls().size() == 3);
        sends.release("m0", "m1");

        assertThat(sent.join()).extracting(Success::id).containsExactlyElementsOf(ids(0, 6));
        assertThat(sends.calls()).containsExactly(ids(0, 2), ids(2, 4), ids(4, 6));
    }

    @Test
    void theBatcherLimitsTheCallsInProgress() {
        queue.open("orders");
        DelayQueueTemplate template = builder(2).build();
        sends.hold("m0");
        sends.hold("m1");
        List<CompletableFuture<Success>> sent =
                ids(0, 5).stream().map(id -> template.sendAsync(message(id))).toList();
        assertThat(sends.calls()).containsExactly(ids(0, 1), ids(1, 2));

        sends.release("m1");
        sent.get(4).join();
        assertThat(sends.calls()).containsExactly(ids(0, 1), ids(1, 2), ids(2, 5));
        sends.release("m0");
        joinAll(sent);
    }

    @Test
    void callsThatEndAtOnceDontDeepenTheStack() {
        queue.topics.shardOf("orders", "any").join();
        SendReply accepted = new SendReply(Outcome.ACCEPTED, Instant.EPOCH, false, 0, null);
        sends.set((ids, call) -> CompletableFuture.completedFuture(
                ids.stream().map(id -> accepted).toList()));
        DelayQueueTemplate template = template(1, 1_000_000);
        sends.hold("m0");
        List<CompletableFuture<Success>> sent = ids(0, 5_000).stream()
                .map(id -> template.sendAsync(message(id)))
                .toList();

        sends.release("m0");

        assertThat(sent).allMatch(CompletableFuture::isDone);
        assertThat(sends.calls()).hasSize(5_000);
        assertThat(Await.result(queue.store.count(Shard.single("orders")))
                        .counts()
                        .scheduled())
                .isZero();
    }
}
