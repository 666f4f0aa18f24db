package io.delayqueue.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Accepted;
import io.delayqueue.message.SendResult.Failed;
import io.delayqueue.message.SendResult.Rejected;
import io.delayqueue.message.SendResult.Success;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.transaction.support.TransactionTemplate;

/** A send whose outcome is unknown stays unknown until one of its repeats has a reply. */
class RepeatedSendTests extends HeldSendsTest {

    /** The ways to send one message; each throws the exception of the caller. */
    enum Way {
        SEND {
            @Override
            void send(DelayQueueTemplate template, DelayMessage message) {
                template.send(message);
            }
        },
        ASYNC {
            @Override
            void send(DelayQueueTemplate template, DelayMessage message) {
                try {
                    template.sendAsync(message).join();
                } catch (CompletionException e) {
                    throw (RuntimeException) e.getCause();
                }
            }
        },
        ALL {
            @Override
            void send(DelayQueueTemplate template, DelayMessage message) {
                try {
                    template.sendAll(List.of(message));
                } catch (BatchSendException e) {
                    throw DelayQueueException.of((Failed) e.results().get(0));
                }
            }
        },
        AFTER_COMMIT {
            @Override
            void send(DelayQueueTemplate template, DelayMessage message) {
                new TransactionTemplate(new CountedTransactions())
                        .executeWithoutResult(status -> template.sendAfterCommit(message));
            }
        },
        WITHOUT_TRANSACTION {
            @Override
            void send(DelayQueueTemplate template, DelayMessage message) {
                template.sendAfterCommit(message);
            }
        };

        abstract void send(DelayQueueTemplate template, DelayMessage message);
    }

    @BeforeEach
    void open() {
        queue.open("orders");
    }

    private DelayQueueTemplate template(SendInterceptor... interceptors) {
        return builder()
                .interceptors(List.of(interceptors))
                .afterCommitTimeout(Duration.ZERO)
                .build();
    }

    /** It is stored, but the reply is lost. */
    private DelayMessage unknown(Way way) {
        sends.set((ids, call) -> call.get()
                .thenCompose(stored -> CompletableFuture.failedFuture(
                        new RedisCallException(Kind.UNKNOWN, "no reply in time", null))));
        DelayMessage message = catchThrowableOfType(
                        OutcomeUnknownException.class, () -> way.send(template(), message("4711")))
                .delayMessage();
        assertThat(stored()).isEqualTo(1);
        return message;
    }

    private void theOutcomeStaysUnknown(Way way, DelayQueueTemplate template, DelayMessage repeat, String why) {
        OutcomeUnknownException still =
                catchThrowableOfType(OutcomeUnknownException.class, () -> way.send(template, repeat));

        assertThat(still).hasMessageContaining(why).hasMessageNotContaining("was not stored");
        sends.set((ids, call) -> call.get());
        assertThat(template().send(still.delayMessage())).isInstanceOf(Accepted.class);
        assertThat(stored()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void aRepeatThatIsNotSentLeavesTheOutcomeUnknown(Way way) {
        DelayMessage repeat = unknown(way);
        sends.set((ids, call) -> CompletableFuture.failedFuture(notSent()));

        theOutcomeStaysUnknown(way, template(), repeat, "no connection");
    }

    @ParameterizedTest
    @EnumSource
    void aRepeatThatRedisRejectsLeavesTheOutcomeUnknown(Way way) {
        DelayMessage repeat = unknown(way);
        sends.set((ids, call) -> CompletableFuture.failedFuture(
                new RedisCallException(Kind.MEMORY_FULL, "OOM command not allowed", null)));

        theOutcomeStaysUnknown(way, template(), repeat, "OOM");
    }

    @ParameterizedTest
    @EnumSource
    void aRepeatThatAnInterceptorRejectsLeavesTheOutcomeUnknown(Way way) {
        DelayMessage repeat = unknown(way);

        theOutcomeStaysUnknown(
                way,
                template((sending, next) -> CompletableFuture.<SendResult>completedFuture(
                        new Rejected(sending.topic(), sending.id(), "not on sundays"))),
                repeat,
                "not on sundays");
        theOutcomeStaysUnknown(
                way,
                template((sending, next) -> {
                    throw new IllegalStateException("no context");
                }),
                repeat,
                "no context");
        theOutcomeStaysUnknown(
                way,
                template((sending, next) -> {
                    sending.header("large", "x".repeat(100_000));
                    return next.proceed();
                }),
                repeat,
                "max-headers-size");
    }

    @ParameterizedTest
    @EnumSource
    void aRepeatBeyondALimitLeavesTheOutcomeUnknown(Way way) {
        DelayMessage repeat = unknown(way);
        SendLimits smaller = new SendLimits(1, 0, Duration.ofDays(1), 500, 1000);

        theOutcomeStaysUnknown(
                way, builder().limits(smaller).afterCommitTimeout(Duration.ZERO).build(), repeat, "max-payload-size");
    }

    @ParameterizedTest
    @EnumSource
    void aRepeatThatCannotBeConvertedLeavesTheOutcomeUnknown(Way way) {
        DelayMessage repeat = unknown(way).toBuilder().payload(new Unwritable()).build();

        assertThat(catchThrowable(() -> way.send(template(), repeat)))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasMessageContaining("JSON");
    }

    /** No JSON. */
    static final class Unwritable {
        public String getValue() {
            return Optional.<String>empty().orElseThrow();
        }
    }

    @Test
    void aRepeatThatTimesOutLeavesTheOutcomeUnknown() {
        DelayMessage repeat = unknown(Way.SEND);
        sends.set((ids, call) -> call.get());
        sends.hold("first");
        DelayQueueTemplate template =
                builder().commandTimeout(Duration.ofMillis(1)).build();
        CompletableFuture<Success> first = template.sendAsync(message("first"));

        Throwable thrown = catchThrowable(() -> template.send(repeat));

        assertThat(thrown).isInstanceOf(OutcomeUnknownException.class).hasMessageContaining("was not sent");
        sends.release("first");
        first.join();
    }

    @Test
    void aRepeatBehindABatchWithoutReplyLeavesTheOutcomeUnknown() {
        DelayMessage repeat = unknown(Way.SEND);
        sends.set((ids, call) ->
                CompletableFuture.failedFuture(new RedisCallException(Kind.UNKNOWN, "no reply in time", null)));
        DelayQueueTemplate template = builder()
                .limits(new SendLimits(1000, 1000, Duration.ofDays(1), 1, 1000))
                .build();

        BatchSendException failed = catchThrowableOfType(
                BatchSendException.class, () -> template.sendAll(List.of(message("a"), repeat, message("b"))));

        assertThat(failed.results())
                .extracting(result -> result.getClass().getSimpleName())
                .containsExactly("Unknown", "Unknown", "Rejected");
    }

    @Test
    void anUnknownOutcomeBeforeARejectionIsReportedAfterTheCommit() {
        sends.set((ids, call) -> sends.calls().size() == 1
                ? call.get()
                        .thenCompose(stored -> CompletableFuture.failedFuture(
                                new RedisCallException(Kind.UNKNOWN, "no reply in time", null)))
                : CompletableFuture.failedFuture(new io.delayqueue.store.TopicConflictException("5 shards now")));
        DelayQueueTemplate template = builder()
                .afterCommitTimeout(Duration.ofSeconds(1))
                .waiting(() -> 0, pause -> {})
                .build();

        assertThat(catchThrowable(() -> Way.AFTER_COMMIT.send(template, message("4711"))))
                .isInstanceOf(OutcomeUnknownException.class);
    }

    @ParameterizedTest
    @EnumSource
    void aMessageIsCountedOnceHoweverOftenItIsRepeated(Way way) {
        DelayMessage repeat = unknown(way);
        sends.set((ids, call) -> call.get());
        queue.recorded().lines().removeIf(line -> line.startsWith("failed"));
        assertThat(queue.recorded().lines()).isEmpty();
        for (int i = 0; i < 3; i++) {
            way.send(template(), repeat);
        }

        assertThat(queue.recorded().lines()).containsExactly("sent orders 1");
    }

    @Test
    void aRepeatOfAnotherProcessIsCountedOnlyIfItStoresTheMessage() {
        DelayMessage repeat = message("4711").toBuilder().repeatOf("n1").build();
        for (int i = 0; i < 3; i++) {
            template().send(repeat);
        }
        assertThat(queue.recorded().lines()).containsExactly("sent orders 1");

        template().cancel("orders", "4711");
        template().send(repeat);
        assertThat(queue.recorded().lines())
                .containsOnlyOnce("cancelled orders 4711")
                .endsWith("sent orders 1");
    }

    @Test
    void aMessageThatTheClientSentTwiceByItselfIsCounted() {
        sends.set((ids, call) -> call.get().thenCompose(first -> call.get()));

        template().send(message("4711"));

        assertThat(queue.recorded().lines()).containsExactly("sent orders 1");
    }

    @Test
    void aFirstSendThatHasANonceAlreadyIsRejectedForCertain() {
        sends.set((ids, call) -> CompletableFuture.failedFuture(notSent()));

        assertThat(catchThrowable(() ->
                        template().send(message("4711").toBuilder().nonce("n1").build())))
                .isInstanceOf(MessageRejectedException.class);
    }

    private static RedisCallException notSent() {
        return new RedisCallException(Kind.NOT_SENT, "no connection", null);
    }
}
