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
import java.util.function.BiConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.transaction.support.TransactionTemplate;

/** A send whose outcome is unknown stays unknown until one of its repeats has a reply. */
class RepeatedSendTests extends HeldSendsTest {

    /** The ways to send one message; each throws the exception of the caller. */
    enum Way {
        SEND(DelayQueueTemplate::send),
        ASYNC((template, message) -> {
            try {
                template.sendAsync(message).join();
            } catch (CompletionException e) {
                throw (RuntimeException) e.getCause();
            }
        }),
        ALL((template, message) -> {
            try {
                template.sendAll(List.of(message));
            } catch (BatchSendException e) {
                throw DelayQueueException.of((Failed) e.results().get(0));
            }
        }),
        AFTER_COMMIT((template, message) -> new TransactionTemplate(new CountedTransactions())
                .executeWithoutResult(status -> template.sendAfterCommit(message))),
        WITHOUT_TRANSACTION(DelayQueueTemplate::sendAfterCommit);

        private final BiConsumer<DelayQueueTemplate, DelayMessage> call;

        Way(BiConsumer<DelayQueueTemplate, DelayMessage> call) {
            this.call = call;
        }

        void send(DelayQueueTemplate template, DelayMessage message) {
            call.accept(template, message);
        }
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
        queue.recorded.clear();
        for (int i = 0; i < 3; i++) {
            way.send(template(), repeat);
        }

        assertThat(queue.recorded.lines()).containsExactly("sent orders 1");
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
