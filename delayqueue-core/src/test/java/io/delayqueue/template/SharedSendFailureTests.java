package io.delayqueue.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.SendResult.Accepted;
import io.delayqueue.message.SendResult.Rejected;
import io.delayqueue.message.SendResult.Success;
import io.delayqueue.message.SendResult.Unknown;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.store.SendReply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SharedSendFailureTests extends HeldSendsTest {

    private final RedisCallException noReply = new RedisCallException(Kind.UNKNOWN, "no reply in time", null);
    private final RedisCallException full = new RedisCallException(Kind.MEMORY_FULL, "rejected", null);
    private final RedisCallException midway = new RedisCallException(Kind.STOPPED, "stopped", null);

    @BeforeEach
    void open() {
        queue.open("orders");
    }

    /** The first is held alone, so that the others go together; then it is released. */
    private Map<String, CompletableFuture<Success>> sendTogether(DelayQueueTemplate template, String... ids) {
        sends.hold("first");
        Map<String, CompletableFuture<Success>> sent = new ConcurrentHashMap<>();
        sent.put("first", template.sendAsync(message("first")));
        for (String id : ids) {
            sent.put(id, template.sendAsync(message(id)));
        }
        sends.release("first");
        await().until(() -> sent.values().stream().allMatch(CompletableFuture::isDone));
        return sent;
    }

    private static <E extends Throwable> E failure(CompletableFuture<?> sent, Class<E> type) {
        Throwable cause =
                catchThrowableOfType(CompletionException.class, sent::join).getCause();
        assertThat(cause).isInstanceOf(type);
        return type.cast(cause);
    }

    @Test
    void aMessageThatRedisRejectsFailsAlone() {
        sends.set((ids, call) -> ids.contains("bad") ? CompletableFuture.failedFuture(full) : call.get());

        Map<String, CompletableFuture<Success>> sent = sendTogether(builder().build(), "a", "bad", "b");

        assertThat(sends.calls())
                .containsExactly(
                        List.of("first"), List.of("a", "bad", "b"), List.of("a"), List.of("bad"), List.of("b"));
        assertThat(sent.get("a").join()).isInstanceOf(Accepted.class);
        assertThat(sent.get("b").join()).isInstanceOf(Accepted.class);
        assertThat(failure(sent.get("bad"), MessageRejectedException.class)).hasCause(full);
        assertThat(stored()).isEqualTo(3);
    }

    @Test
    void afterAnErrorMidwayEachIsRepeatedAndRecognised() {
        sends.set((ids, call) -> ids.contains("bad") || ids.size() > 1
                ? call.get().thenCompose(stored -> CompletableFuture.failedFuture(midway))
                : call.get());

        Map<String, CompletableFuture<Success>> sent = sendTogether(builder().build(), "a", "bad", "b");

        assertThat(sent.get("a").join()).isInstanceOf(Accepted.class);
        assertThat(sent.get("b").join()).isInstanceOf(Accepted.class);
        OutcomeUnknownException unknown = failure(sent.get("bad"), OutcomeUnknownException.class);
        assertThat(stored()).isEqualTo(4);
        sends.set((ids, call) -> call.get());
        assertThat(builder().build().send(unknown.delayMessage())).isInstanceOf(Accepted.class);
        assertThat(stored()).isEqualTo(4);
    }

    @Test
    void aPossiblyStoredMessageIsNotReportedAsRejectedIfItsRepeatIs() {
        sends.set((ids, call) -> ids.size() > 1
                ? call.get().thenCompose(stored -> CompletableFuture.failedFuture(midway))
                : ids.contains("first") ? call.get() : CompletableFuture.failedFuture(full));

        Map<String, CompletableFuture<Success>> sent = sendTogether(builder().build(), "a", "b");

        failure(sent.get("a"), OutcomeUnknownException.class);
        failure(sent.get("b"), OutcomeUnknownException.class);
    }

    @Test
    void aReplyThatCannotBeReadFailsNoNeighbour() {
        sends.set((ids, call) -> ids.size() > 1
                ? call.get().thenCompose(stored -> CompletableFuture.failedFuture(new IllegalStateException("reply")))
                : call.get());

        Map<String, CompletableFuture<Success>> sent = sendTogether(builder().build(), "a", "b");

        assertThat(sent.values()).allSatisfy(each -> assertThat(each.join()).isInstanceOf(Accepted.class));
        assertThat(stored()).isEqualTo(3);
    }

    @Test
    void aCallWithoutReplyLeavesItsMessagesUnknownAndTheNextCallSucceeds() {
        sends.set((ids, call) -> ids.size() > 1 ? CompletableFuture.failedFuture(noReply) : call.get());
        DelayQueueTemplate template = builder().build();

        Map<String, CompletableFuture<Success>> sent = sendTogether(template, "a", "b");

        assertThat(sent.get("first").join()).isInstanceOf(Accepted.class);
        assertThat(failure(sent.get("a"), OutcomeUnknownException.class)
                        .delayMessage()
                        .id())
                .isEqualTo("a");
        failure(sent.get("b"), OutcomeUnknownException.class);
        assertThat(sends.calls()).hasSize(2);
        assertThat(template.send(message("later"))).isInstanceOf(Accepted.class);
    }

    @Test
    void messagesBehindACallWithoutReplyAreNotSent() {
        for (Kind kind : List.of(Kind.UNKNOWN, Kind.NOT_SENT)) {
            RedisCallException silence = new RedisCallException(kind, "away", null);
            sends.set((ids, call) -> ids.contains("first") ? CompletableFuture.failedFuture(silence) : call.get());
            sends.calls().clear();
            DelayQueueTemplate template = builder().build();

            Map<String, CompletableFuture<Success>> sent = sendTogether(template, "a" + kind, "b" + kind);

            assertThat(failure(sent.get("a" + kind), MessageRejectedException.class))
                    .hasMessageContaining("did not reply to the messages before");
            failure(sent.get("b" + kind), MessageRejectedException.class);
            assertThat(sends.calls()).containsExactly(List.of("first"));
            assertThat(template.send(message("a" + kind))).isInstanceOf(Accepted.class);
        }
    }

    @Test
    void asManyMessagesAsABatchWithoutReplyAreUnknownAndTheOthersAreNotSent() {
        CompletableFuture<List<SendReply>> replies = new CompletableFuture<>();
        sends.set((ids, call) -> replies);
        DelayQueueTemplate template = builder().build();
        CompletableFuture<List<Success>> sent = thread(() -> template.sendAll(
                IntStream.range(0, 1200).mapToObj(i -> message("m" + i)).toList()));
        await().until(() -> sends.calls().size() == 2);

        replies.completeExceptionally(noReply);

        BatchSendException failed = failure(sent, BatchSendException.class);
        assertThat(failed.results().subList(0, 500)).allMatch(Unknown.class::isInstance);
        assertThat(failed.results().subList(500, 1200)).allMatch(Rejected.class::isInstance);
        assertThat(((Unknown) failed.results().get(7)).message().id()).isEqualTo("m7");
        assertThat(((Unknown) failed.results().get(7)).message().nonce()).isNotNull();
    }

    @Test
    void aSendTimesOutAndWithdrawsItsWaitingMessage() {
        DelayQueueTemplate template =
                builder().commandTimeout(Duration.ofMillis(1)).build();
        sends.hold("a");
        CompletableFuture<Success> first = template.sendAsync(message("a"));

        assertThatThrownBy(() -> template.send(message("b")))
                .isInstanceOf(MessageRejectedException.class)
                .hasMessageContaining("was not sent");

        sends.release("a");
        first.join();
        // whose wait no timeout ends, however busy the machine is
        assertThat(template.sendAsync(message("c")).join()).isInstanceOf(Accepted.class);
        assertThat(sends.calls()).containsExactly(List.of("a"), List.of("c"));
    }

    @Test
    void aSenderThatGivesUpOnACallUnderWayDoesNotKnowItsOutcome() {
        DelayQueueTemplate template = builder().build();
        sends.hold("a");
        sends.hold("b");
        CompletableFuture<Success> first = template.sendAsync(message("a"));
        CompletableFuture<Success> underWay = blocked(template, "b");
        sends.release("a");
        first.join();
        await().until(() -> sends.calls().contains(List.of("b")));

        lastThread().interrupt();

        failure(underWay, OutcomeUnknownException.class);
        sends.release("b");
        await().until(() -> stored() == 2);
        assertThat(queue.recorded.lines()).containsExactly("sent orders 1", "sent orders 1");
    }

    @Test
    void anInterruptedSendWithdrawsItsWaitingMessage() {
        DelayQueueTemplate template = builder().build();
        sends.hold("a");
        CompletableFuture<Success> first = template.sendAsync(message("a"));
        CompletableFuture<Boolean> flag = thread(() -> {
            assertThatThrownBy(() -> template.send(message("b")))
                    .isInstanceOf(MessageRejectedException.class)
                    .hasMessageContaining("interrupted");
            return Thread.currentThread().isInterrupted();
        });
        awaitAllBlocked();
        CompletableFuture<Success> neighbour = template.sendAsync(message("c"));

        lastThread().interrupt();

        assertThat(flag.join()).isTrue();
        sends.release("a");
        first.join();
        neighbour.join();
        assertThat(sends.calls()).containsExactly(List.of("a"), List.of("c"));
    }

    @Test
    void anInterruptedSingleSendFailsNoMessageBehindIt() {
        DelayQueueTemplate template = builder().build();
        sends.hold("a");
        CompletableFuture<Success> interrupted = blocked(template, "a");
        CompletableFuture<Success> behind = template.sendAsync(message("b"));

        lastThread().interrupt();

        failure(interrupted, OutcomeUnknownException.class);
        sends.release("a");
        assertThat(behind.orTimeout(60, TimeUnit.SECONDS).join()).isInstanceOf(Accepted.class);
    }
}
