package io.delayqueue.template;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Durability;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Accepted;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.message.SendResult.Rejected;
import io.delayqueue.message.SendResult.Replaced;
import io.delayqueue.message.SendResult.Success;
import io.delayqueue.message.SendResult.Unknown;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.testing.ShardLimits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionTemplate;

/** Sends to a topic that has as many messages as its limit permits. */
class FullTopicTests extends HeldSendsTest {

    @BeforeEach
    void open() {
        queue.open("orders");
    }

    private void limit(int messages) {
        byte[] meta = queue.keySpace.of(Shard.single("orders")).meta();
        server.command(ShardLimits.command(new String(meta, UTF_8), messages));
    }

    @Test
    void aSendIsRejectedUntilThereIsRoom() {
        limit(1);
        DelayQueueTemplate template = builder().build();
        template.send(message("a"));

        MessageRejectedException full =
                catchThrowableOfType(MessageRejectedException.class, () -> template.send(message("b")));

        assertThat(full.reason()).isEqualTo(Reason.FULL);
        assertThat(full.reason().isTransient()).isTrue();
        assertThat(full)
                .hasMessage("Message b to topic orders was not stored: topic orders is full: its limit of scheduled and"
                        + " leased messages (max-messages) is 1. Send the message again when some are handled, or raise"
                        + " the limit");
        assertThat(template.send(message("a").toBuilder()
                        .onDuplicate(OnDuplicate.REPLACE)
                        .build()))
                .isInstanceOf(Replaced.class);
        assertThat(stored()).isEqualTo(1);

        template.cancel("orders", "a");
        assertThat(template.send(message("b"))).isInstanceOf(Accepted.class);
        assertThat(queue.recorded.lines())
                .containsExactly("sent orders 1", "sent orders 1", "cancelled orders a", "sent orders 1");
    }

    @Test
    void theMessagesOfABatchThatHaveNoRoomAreReported() {
        limit(2);

        BatchSendException failed = catchThrowableOfType(
                BatchSendException.class,
                () -> builder().build().sendAll(List.of(message("a"), message("b"), message("c"), message("d"))));

        assertThat(failed.results().subList(0, 2)).allMatch(Accepted.class::isInstance);
        assertThat(failed.failed()).extracting(SendResult::id).containsExactly("c", "d");
        assertThat(failed.failed())
                .allSatisfy(result -> assertThat(((Rejected) result).reason()).isEqualTo(Reason.FULL));
        assertThat(failed).hasMessageContaining("c to orders (rejected: topic orders is full");
    }

    @Test
    void eachOfSeveralSendersOfACallHasItsOwnResult() {
        limit(3);
        DelayQueueTemplate template = builder().build();
        sends.hold("a");
        List<CompletableFuture<Success>> sent = List.of("a", "b", "c", "d", "e").stream()
                .map(id -> template.sendAsync(message(id)))
                .toList();

        sends.release("a");

        for (CompletableFuture<Success> accepted : sent.subList(0, 3)) {
            assertThat(accepted.join()).isInstanceOf(Accepted.class);
        }
        for (CompletableFuture<Success> rejected : sent.subList(3, 5)) {
            assertThatThrownBy(rejected::join)
                    .isInstanceOf(CompletionException.class)
                    .cause()
                    .isInstanceOfSatisfying(
                            MessageRejectedException.class,
                            full -> assertThat(full.reason()).isEqualTo(Reason.FULL));
        }
        assertThat(sends.calls()).containsExactly(List.of("a"), List.of("b", "c", "d", "e"));
        assertThat(queue.recorded.lines()).containsExactly("sent orders 1", "sent orders 2");
    }

    /** The first send may have stored the message, which may have been handled since. */
    @Test
    void aRepeatToAFullTopicLeavesTheOutcomeUnknown() {
        DelayQueueTemplate template = builder().build();
        sends.set((ids, call) ->
                CompletableFuture.failedFuture(new RedisCallException(Kind.UNKNOWN, "no reply in time", null)));
        OutcomeUnknownException unknown =
                catchThrowableOfType(OutcomeUnknownException.class, () -> template.send(message("a")));
        sends.set((ids, call) -> call.get());
        limit(1);
        template.send(message("b"));

        OutcomeUnknownException still =
                catchThrowableOfType(OutcomeUnknownException.class, () -> template.send(unknown.delayMessage()));

        assertThat(still.reason()).isEqualTo(Reason.FULL);
        assertThat(still).hasMessageContaining("this repeat failed: topic orders is full");
        template.cancel("orders", "b");
        assertThat(template.send(still.delayMessage())).isInstanceOf(Accepted.class);
    }

    @Test
    void aRejectionNeedsNoConfirmation() {
        limit(1);
        DelayQueueTemplate template = queue.template();
        Durability unconfirmed = Durability.replicas(1, Duration.ofMillis(1));

        BatchSendException failed = catchThrowableOfType(
                BatchSendException.class,
                () -> template.sendAll(List.of(
                        message("a").toBuilder().durability(unconfirmed).build(),
                        message("b").toBuilder().durability(unconfirmed).build())));

        assertThat(failed.results().get(0))
                .isInstanceOfSatisfying(
                        Unknown.class, result -> assertThat(result.reason()).isEqualTo(Reason.NOT_CONFIRMED));
        assertThat(failed.results().get(1))
                .isInstanceOfSatisfying(
                        Rejected.class, result -> assertThat(result.reason()).isEqualTo(Reason.FULL));
    }

    @Test
    void aCommitRepeatsItsSendUntilThereIsRoom() {
        limit(1);
        queue.template().send(message("a"));
        AtomicInteger pauses = new AtomicInteger();
        DelayQueueTemplate template = queue.templateBuilder()
                .waiting(() -> 0, pause -> {
                    if (pauses.incrementAndGet() == 2) {
                        queue.template().cancel("orders", "a");
                    }
                })
                .build();

        new TransactionTemplate(new CountedTransactions())
                .executeWithoutResult(status -> template.sendAfterCommit(message("b")));

        assertThat(pauses).hasValue(2);
        assertThat(template.find("orders", "b")).isPresent();
    }

    @Test
    void messagesOfOtherTopicsAreAccepted() {
        limit(1);
        queue.template().send(message("a"));

        assertThat(queue.template().send(DelayMessage.to("parcels").payload("p").build()))
                .isInstanceOf(Accepted.class);
    }
}
