package io.delayqueue.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.SendResult.Accepted;
import io.delayqueue.message.SendResult.Success;
import io.delayqueue.message.Shard;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.SendReply.Outcome;
import io.delayqueue.test.redis.RedisRequest;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
    void aSingleMessageIsOneCommandAtOnce() {
        queue.template().send("orders", "makes Redis know the script");
        DelayQueueTemplate template = queue.template();
        queue.proxy().traffic().reset();

        template.send(message("a"));
        template.sendAsync(message("b")).join();

        assertThat(queue.proxy().traffic().requestsByName()).hasSize(1).containsEntry("EVALSHA", 2L);
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
        assertThat(queue.recorded().lines()).containsExactly("sent orders 1", "sent orders 7");
    }

    @Test
    void eachMessageOfManyThreadsIsStoredOnce() {
        int threads = 4;
        int each = 50;
        queue.open("orders");
        DelayQueueTemplate template = builder().build();
        sends.hold("first");
        CompletableFuture<Success> first = blocked(template, "first");
        List<CompletableFuture<List<Success>>> sent = IntStream.range(0, threads)
                .mapToObj(thread -> thread(() -> ids(thread * each, (thread + 1) * each).stream()
                        .map(id -> template.send(message(id)))
                        .toList()))
                .toList();
        awaitAllBlocked();

        sends.release("first");

        joinAll(sent);
        assertThat(sent).allSatisfy(results -> assertThat(results.join()).hasOnlyElementsOfType(Accepted.class));
        assertThat(first).isCompleted();
        assertThat(sends.calls().stream().flatMap(List::stream))
                .containsExactlyInAnyOrderElementsOf(Stream.concat(Stream.of("first"), ids(0, threads * each).stream())
                        .toList());
        assertThat(sends.calls()).hasSizeLessThan(threads * each);
        assertThat(stored()).isEqualTo(1 + threads * each);
        assertThat(queue.recorded().lines().stream()
                        .mapToInt(line -> Integer.parseInt(line.substring("sent orders ".length())))
                        .sum())
                .isEqualTo(1 + threads * each);
    }

    @Test
    void ofSendsOfOneIdAtOneTimeExactlyOneIsAccepted() {
        queue.open("orders");
        DelayQueueTemplate template = builder().build();
        sends.hold("same");
        List<CompletableFuture<Success>> sent = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            sent.add(blocked(template, "same"));
        }

        sends.release("same");

        await().until(() -> sent.stream().allMatch(CompletableFuture::isDone));
        assertThat(sent.get(0)).isCompletedWithValueMatching(Accepted.class::isInstance);
        for (CompletableFuture<Success> other : sent.subList(1, 4)) {
            assertThatThrownBy(other::join).hasCauseInstanceOf(DuplicateMessageException.class);
        }
        assertThat(queue.recorded().lines())
                .containsExactly(
                        "sent orders 1", "duplicate orders same", "duplicate orders same", "duplicate orders same");
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
    void callsOfOtherIdsGoSideBySide() {
        queue.open("orders");
        DelayQueueTemplate template = builder(2).build();
        sends.hold("a");
        CompletableFuture<Success> held = template.sendAsync(message("a"));

        template.sendAsync(message("b")).join();

        assertThat(held).isNotDone();
        sends.release("a");
        held.join();
    }

    @Test
    void theSecondOfOneIdLeadsTheNextCall() {
        queue.open("orders");
        DelayQueueTemplate template = builder().build();
        sends.hold("a");
        List<CompletableFuture<Success>> sent = new ArrayList<>();
        for (String id : List.of("a", "b", "c")) {
            sent.add(template.sendAsync(message(id)));
        }
        sent.add(template.sendAsync(message("b").toBuilder()
                .onDuplicate(OnDuplicate.REPLACE)
                .payload("new")
                .build()));
        sent.add(template.sendAsync(message("d")));

        sends.release("a");

        joinAll(sent);
        assertThat(sends.calls()).containsExactly(List.of("a"), List.of("b", "c"), List.of("b", "d"));
        assertThat(template.find("orders", "b").orElseThrow().envelope().payload())
                .asString()
                .isEqualTo("new");
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
    void aTopicIsRegisteredOnceForAllThatWait() {
        queue.template().send("orders", "makes Redis know the topic");
        queue.close();
        queue = new QueueOnRedis(server);
        queue.proxy().traffic().startRecording();
        DelayQueueTemplate template = builder().build();

        joinAll(ids(0, 100).stream().map(id -> template.sendAsync(message(id))).toList());

        assertThat(queue.proxy().traffic().recorded().stream()
                        .filter(RedisRequest::isScript)
                        .filter(request -> request.arguments().contains("dq:topics")))
                .hasSize(1);
        assertThat(stored()).isEqualTo(100);
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

    /**
     * Each sender sends its next message when it has the result of the last one, and calls end in their order. Up to
     * three senders never wait for each other. From then on the messages are divided into two calls.
     */
    @ParameterizedTest
    @CsvSource({"1, 1.0", "2, 1.0", "3, 1.0", "4, 0.51", "8, 0.26", "16, 0.13", "32, 0.07", "64, 0.04"})
    void theMoreSendersTheFewerCallsPerMessage(int senders, double callsPerMessage) {
        queue.topics().shardOf("orders", "any").join();
        SendReply accepted = new SendReply(Outcome.ACCEPTED, Instant.EPOCH, false, null);
        Queue<Runnable> inProgress = new ArrayDeque<>();
        sends.set((ids, call) -> {
            CompletableFuture<List<SendReply>> reply = new CompletableFuture<>();
            inProgress.add(() -> reply.complete(Collections.nCopies(ids.size(), accepted)));
            return reply;
        });
        DelayQueueTemplate template = builder(SendBatcher.CONCURRENT_CALLS).build();
        int messages = 50 * senders;
        AtomicInteger sent = new AtomicInteger();
        for (int i = 0; i < senders; i++) {
            sendRepeatedly(template, sent, messages);
        }

        while (!inProgress.isEmpty()) {
            inProgress.remove().run();
        }

        assertThat(sent).hasValue(messages);
        assertThat(sends.calls().stream().mapToInt(List::size).sum()).isEqualTo(messages);
        assertThat(sends.calls().size() / (double) messages).isLessThanOrEqualTo(callsPerMessage);
    }

    private static void sendRepeatedly(DelayQueueTemplate template, AtomicInteger sent, int messages) {
        if (sent.get() < messages) {
            CompletableFuture<Void> unused = template.sendAsync(message("m" + sent.getAndIncrement()))
                    .thenRun(() -> sendRepeatedly(template, sent, messages));
        }
    }

    private CompletableFuture<List<Success>> sendingAll(DelayMessage... messages) {
        DelayQueueTemplate template = template(4, 1_000_000);
        return thread(() -> template.sendAll(List.of(messages)));
    }

    @Test
    void halvesOfABatchAreSentSideBySide() {
        queue.open("orders");
        sends.hold("m0", "m1");
        sends.hold("m2", "m3");
        CompletableFuture<List<Success>> sent =
                sendingAll(ids(0, 6).stream().map(HeldSendsTest::message).toArray(DelayMessage[]::new));

        await().until(() -> sends.calls().size() == 2);
        assertThat(sends.calls()).containsExactly(ids(0, 2), ids(2, 4));
        sends.release("m2", "m3");
        await().until(() -> sends.calls().size() == 3);
        sends.release("m0", "m1");

        assertThat(sent.join()).extracting(Success::id).containsExactlyElementsOf(ids(0, 6));
        assertThat(sends.calls()).containsExactly(ids(0, 2), ids(2, 4), ids(4, 6));
    }

    @Test
    void secondMessageOfOneIdWaitsForTheFirstHalfOfItsBatch() {
        queue.open("orders");
        sends.hold("a", "b");
        CompletableFuture<List<Success>> sent = sendingAll(
                message("a"),
                message("b"),
                message("a").toBuilder().onDuplicate(OnDuplicate.REPLACE).build(),
                message("c"));
        await().until(() -> lastThread().getState() == Thread.State.WAITING);

        assertThat(sends.calls()).containsExactly(List.of("a", "b"));
        sends.release("a", "b");

        assertThat(sent.join())
                .extracting(Success::getClass)
                .extracting(Class::getSimpleName)
                .containsExactly("Accepted", "Accepted", "Replaced", "Accepted");
        assertThat(sends.calls()).containsExactly(List.of("a", "b"), List.of("a", "c"));
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
        queue.topics().shardOf("orders", "any").join();
        SendReply accepted = new SendReply(Outcome.ACCEPTED, Instant.EPOCH, false, null);
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
        assertThat(queue.store().awaitCount(Shard.single("orders")).scheduled()).isZero();
    }
}
