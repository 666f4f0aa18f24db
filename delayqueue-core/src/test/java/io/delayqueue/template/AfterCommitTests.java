package io.delayqueue.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Sends and cancels after the commit. The messages {@code a} and {@code b} are there, others are not. */
class AfterCommitTests extends RedisTest {

    private final CountedTransactions transactions = new CountedTransactions();
    private final TransactionTemplate transaction = new TransactionTemplate(transactions);
    private final AtomicInteger pauses = new AtomicInteger();
    private final AtomicLong nanos = new AtomicLong();

    /** What happens after the commit, to one of two messages. */
    enum Operation {
        SEND("c", "d") {
            @Override
            void afterCommit(DelayQueueTemplate template, String id) {
                template.sendAfterCommit(message(id));
            }
        },
        CANCEL("a", "b") {
            @Override
            void afterCommit(DelayQueueTemplate template, String id) {
                template.cancelAfterCommit("orders", id);
            }
        };

        private final String one;
        private final String other;

        Operation(String one, String other) {
            this.one = one;
            this.other = other;
        }

        abstract void afterCommit(DelayQueueTemplate template, String id);
    }

    @BeforeEach
    void open() {
        queue.template().send(message("a"));
        queue.template().send(message("b"));
        queue.template().cancel("orders", "makes Redis know the script");
        queue.recorded.clear();
        queue.proxy.traffic().reset();
    }

    private DelayQueueTemplate template() {
        return template(() -> {});
    }

    /** Time passes only while the committer waits. Something is done in its second pause. */
    private DelayQueueTemplate template(Runnable inSecondPause) {
        return builder(inSecondPause).build();
    }

    private DelayQueueTemplateBuilder builder(Runnable inSecondPause) {
        return queue.templateBuilder().waiting(nanos::get, pause -> {
            if (pauses.incrementAndGet() == 2) {
                inSecondPause.run();
            }
            nanos.addAndGet(pause.toNanos());
        });
    }

    private TransactionTemplate transaction(int propagation) {
        TransactionTemplate other = new TransactionTemplate(transactions);
        other.setPropagationBehavior(propagation);
        return other;
    }

    private static DelayMessage message(String id) {
        return DelayMessage.to("orders")
                .id(id)
                .payload("p")
                .delay(Duration.ofHours(1))
                .build();
    }

    private boolean isThere(String id) {
        return queue.template().find("orders", id).isPresent();
    }

    private boolean isDone(Operation operation, String id) {
        return isThere(id) == (operation == Operation.SEND);
    }

    @ParameterizedTest
    @EnumSource
    void nothingHappensWhenTheTransactionRollsBack(Operation operation) {
        DelayQueueTemplate template = template();

        transaction.executeWithoutResult(status -> {
            operation.afterCommit(template, operation.one);
            status.setRollbackOnly();
        });
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    operation.afterCommit(template, operation.other);
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");

        assertThat(queue.proxy.traffic().requests()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void anInnerTransactionDoesItsOwnOnly(Operation operation) {
        DelayQueueTemplate template = template();
        TransactionTemplate inner = transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

        transaction.executeWithoutResult(status -> {
            operation.afterCommit(template, operation.one);
            inner.executeWithoutResult(ignored -> operation.afterCommit(template, operation.other));
            assertThat(isDone(operation, operation.other)).isTrue();
            assertThat(isDone(operation, operation.one)).isFalse();
            status.setRollbackOnly();
        });

        assertThat(isDone(operation, operation.one)).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void whatFollowsASavepointIsRolledBackWithIt(Operation operation) {
        DelayQueueTemplate template = template();
        TransactionTemplate nested = transaction(TransactionDefinition.PROPAGATION_NESTED);

        transaction.executeWithoutResult(status -> {
            nested.executeWithoutResult(inner -> {
                operation.afterCommit(template, operation.one);
                inner.setRollbackOnly();
            });
            template.sendAfterCommit(message("kept"));
            nested.executeWithoutResult(inner -> {
                operation.afterCommit(template, operation.one);
                inner.setRollbackOnly();
            });
            nested.executeWithoutResult(inner -> operation.afterCommit(template, operation.other));
        });

        assertThat(isThere("kept") && isDone(operation, operation.other)).isTrue();
        assertThat(isDone(operation, operation.one)).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void anotherOnesFailureAfterTheCommitLosesNothing(Operation operation) {
        DelayQueueTemplate template = template();

        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                        @Override
                        public void afterCommit() {
                            throw new IllegalStateException("other");
                        }
                    });
                    operation.afterCommit(template, operation.one);
                }))
                .hasMessage("other");

        assertThat(isDone(operation, operation.one)).isTrue();
    }

    @Test
    void nothingIsSentBeforeTheCommitAndAllOfItAfterwards() {
        DelayQueueTemplate template = template();

        String id = transaction.execute(status -> {
            String generated = template.sendAfterCommit("orders", "p", Duration.ofHours(1));
            template.sendAfterCommit(message("d"));
            template.sendAfterCommit(message("e"));
            assertThat(queue.proxy.traffic().requests()).isZero();
            return generated;
        });

        assertThat(queue.proxy.traffic().requests()).isEqualTo(1);
        assertThat(isThere(id)).isTrue();
        assertThat(isThere("d") && isThere("e")).isTrue();
        assertThat(queue.recorded.lines()).containsExactly("sent orders 3");
    }

    @Test
    void withoutATransactionItIsSentAtOnce() {
        template().sendAfterCommit(message("c"));

        assertThat(isThere("c")).isTrue();
        assertThatThrownBy(() -> template().sendAfterCommit(message("c")))
                .isInstanceOf(DuplicateMessageException.class);
    }

    @Test
    void anInvalidMessageFailsAtTheCallAndRollsBack() {
        assertThatThrownBy(() -> transaction.executeWithoutResult(
                        status -> template().sendAfterCommit("orders", new byte[2_000_000])))
                .isInstanceOf(MessageRejectedException.class);

        assertThat(transactions.commits()).isZero();
    }

    @Test
    void thePayloadIsTakenAsItWasAtTheCall() {
        DelayQueueTemplate template = template();
        List<String> payload = new ArrayList<>(List.of("then"));

        transaction.executeWithoutResult(status -> {
            template.sendAfterCommit(
                    DelayMessage.to("orders").id("c").payload(payload).build());
            payload.set(0, "later");
        });

        assertThat(template.find("orders", "c").orElseThrow().envelope().payload())
                .asString()
                .contains("then");
    }

    @Test
    void aSendWithoutReplyIsRepeatedUnchanged() {
        DelayQueueTemplate template = template(queue.faults::pass);
        queue.faults.loseReplies("send");

        transaction.executeWithoutResult(status -> {
            template.sendAfterCommit(message("c"));
            template.sendAfterCommit("orders", "generated", Duration.ofHours(1));
        });

        assertThat(isThere("c")).isTrue();
        assertThat(Await.result(queue.store.count(Shard.single("orders")))
                        .counts()
                        .scheduled())
                .isEqualTo(4);
    }

    @Test
    void afterTheTimeoutOfASendTheCommitThrowsAndTheTransactionIsCommitted() {
        DelayQueueTemplate template = template();
        queue.faults.refuse();

        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> template.sendAfterCommit(message("c"))))
                .isInstanceOf(MessageRejectedException.class)
                .hasMessageStartingWith("Message c to topic orders ");

        assertThat(transactions.commits()).isEqualTo(1);
        assertThat(nanos.get()).isEqualTo(Duration.ofSeconds(10).toNanos());
        assertThat(pauses.get()).isEqualTo(14);
        assertThat(queue.recorded.lines()).hasSize(1).allMatch(line -> line.startsWith("failed orders c "));
    }

    @Test
    void eachOfSeveralFailuresIsReported() {
        DelayQueueTemplate template = template();

        BatchSendException failed = catchThrowableOfType(
                BatchSendException.class,
                () -> transaction.executeWithoutResult(status -> {
                    template.sendAfterCommit(message("c"));
                    template.sendAfterCommit(message("b"));
                    template.sendAfterCommit(message("d"));
                }));

        assertThat(failed.failed()).extracting(SendResult::id).containsExactly("b");
        assertThat(failed.results()).hasSize(3);
        assertThat(pauses.get()).isZero();
        assertThat(queue.recorded.lines()).contains("failed orders b DuplicateMessageException", "sent orders 2");
    }

    @Test
    void anInterruptEndsTheRepeating() {
        DelayQueueTemplate template = template(() -> Thread.currentThread().interrupt());
        queue.faults.refuse();

        try {
            assertThatThrownBy(() -> transaction.executeWithoutResult(status -> template.sendAfterCommit(message("c"))))
                    .isInstanceOf(DelayQueueException.class);
            assertThat(pauses.get()).isEqualTo(2);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void nothingIsCancelledBeforeTheCommitAndAllOfItAfterwards() {
        DelayQueueTemplate template = template();

        transaction.executeWithoutResult(status -> {
            template.cancelAfterCommit("orders", "a");
            template.cancelAfterCommit("orders", "b");
            assertThat(queue.proxy.traffic().requests()).isZero();
        });

        assertThat(isThere("a") || isThere("b")).isFalse();
        assertThat(queue.recorded.lines()).containsExactlyInAnyOrder("cancelled orders a", "cancelled orders b");
    }

    @Test
    void withoutATransactionItIsCancelledAtOnce() {
        template().cancelAfterCommit("orders", "a");

        assertThat(isThere("a")).isFalse();
        queue.faults.refuse();
        assertThatThrownBy(() -> template().cancelAfterCommit("orders", "b"))
                .isInstanceOf(DelayQueueUnavailableException.class);
    }

    @Test
    void anInvalidIdFailsAtTheCallAndRollsBack() {
        assertThatThrownBy(() ->
                        transaction.executeWithoutResult(status -> template().cancelAfterCommit("orders", "")))
                .isInstanceOf(IllegalArgumentException.class);

        assertThat(transactions.commits()).isZero();
    }

    @Test
    void anAbsentMessageAndAnUnknownTopicAreNoFailures() {
        DelayQueueTemplate template = template();

        transaction.executeWithoutResult(status -> {
            template.cancelAfterCommit("orders", "never sent");
            template.cancelAfterCommit("unknown", "a");
        });

        assertThat(pauses.get()).isZero();
        assertThat(queue.recorded.lines()).isEmpty();
    }

    @Test
    void sendsAndCancelsOfAnIdKeepTheirOrder() {
        DelayQueueTemplate template = template();

        transaction.executeWithoutResult(status -> {
            template.cancelAfterCommit("orders", "a");
            template.sendAfterCommit(message("a"));
            template.sendAfterCommit(message("c"));
            template.cancelAfterCommit("orders", "c");
            template.cancelAfterCommit("orders", "b");
            template.sendAfterCommit(message("b"));
            template.cancelAfterCommit("orders", "b");
        });

        assertThat(isThere("a")).isTrue();
        assertThat(isThere("b") || isThere("c")).isFalse();
        assertThat(queue.recorded.of("cancelled"))
                .containsExactlyInAnyOrder(
                        "cancelled orders a", "cancelled orders b", "cancelled orders b", "cancelled orders c");
        assertThat(queue.recorded.of("duplicate")).isEmpty();
    }

    @Test
    void interceptorsPassOnlyTheSends() {
        AtomicInteger passed = new AtomicInteger();
        DelayQueueTemplate template = builder(() -> {})
                .interceptors(List.of((sending, next) -> {
                    passed.incrementAndGet();
                    return next.proceed();
                }))
                .build();

        transaction.executeWithoutResult(status -> template.cancelAfterCommit("orders", "a"));
        transaction.executeWithoutResult(status -> {
            template.cancelAfterCommit("orders", "b");
            template.sendAfterCommit(message("c"));
        });

        assertThat(isThere("a") || isThere("b")).isFalse();
        assertThat(isThere("c")).isTrue();
        assertThat(passed.get()).isEqualTo(1);
    }

    @Test
    void anOutageShorterThanTheTimeoutIsBridged() {
        DelayQueueTemplate template = template(queue.faults::pass);
        queue.faults.refuse();

        transaction.executeWithoutResult(status -> {
            template.cancelAfterCommit("orders", "a");
            template.sendAfterCommit(message("c"));
        });

        assertThat(isThere("a")).isFalse();
        assertThat(isThere("c")).isTrue();
        assertThat(pauses.get()).isEqualTo(2);
        assertThat(queue.recorded.lines()).containsExactlyInAnyOrder("cancelled orders a", "sent orders 1");
    }

    @Test
    void aCancelWithoutReplyIsRepeated() {
        DelayQueueTemplate template = template(queue.faults::pass);
        queue.faults.loseReplies("cancel");

        transaction.executeWithoutResult(status -> template.cancelAfterCommit("orders", "a"));

        assertThat(isThere("a")).isFalse();
        assertThat(pauses.get()).isEqualTo(2);
        assertThat(queue.recorded.of("not cancelled")).isEmpty();
    }

    @Test
    void afterTheTimeoutOfACancelTheCommitThrowsAndTheTransactionIsCommitted() {
        DelayQueueTemplate template = template();
        queue.faults.refuse();

        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> template.cancelAfterCommit("orders", "a")))
                .isInstanceOf(DelayQueueUnavailableException.class)
                .hasMessageStartingWith("Cancelling message a in topic orders failed: ");

        assertThat(transactions.commits()).isEqualTo(1);
        assertThat(nanos.get()).isEqualTo(Duration.ofSeconds(10).toNanos());
        assertThat(queue.recorded.lines()).containsExactly("not cancelled orders a DelayQueueUnavailableException");
    }

    @Test
    void allOperationsOfATransactionShareTheTimeout() {
        DelayQueueTemplate template = template();
        queue.faults.refuse();

        DelayQueueException thrown = catchThrowableOfType(
                DelayQueueException.class,
                () -> transaction.executeWithoutResult(status -> {
                    template.cancelAfterCommit("orders", "a");
                    template.sendAfterCommit(message("a"));
                    template.cancelAfterCommit("orders", "a");
                }));

        assertThat(thrown).isInstanceOf(MessageRejectedException.class);
        assertThat(thrown.getSuppressed())
                .hasSize(2)
                .allSatisfy(each -> assertThat(each).isInstanceOf(DelayQueueUnavailableException.class));
        assertThat(nanos.get()).isEqualTo(Duration.ofSeconds(10).toNanos());
        assertThat(queue.recorded.of("not cancelled")).hasSize(2);
        assertThat(queue.recorded.of("failed")).hasSize(1);
    }

    @Test
    void failedSendsAreReportedWithoutTheCancels() {
        DelayQueueTemplate template = template();

        BatchSendException failed = catchThrowableOfType(
                BatchSendException.class,
                () -> transaction.executeWithoutResult(status -> {
                    template.sendAfterCommit(message("b"));
                    template.cancelAfterCommit("orders", "a");
                    template.sendAfterCommit(message("c"));
                }));

        assertThat(failed.results()).extracting(SendResult::id).containsExactly("b", "c");
        assertThat(failed.getSuppressed()).isEmpty();
        assertThat(isThere("a")).isFalse();
    }

    @Test
    void aThreadThatMustNotBlockNeedsATransactionOfItsOwn() {
        DelayQueueTemplate template =
                builder(() -> {}).nonBlockingThread(() -> true).build();

        assertThatThrownBy(() -> template.cancelAfterCommit("orders", "a"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("cancelAfterCommit ")
                .hasMessageContaining("call cancelAsync when that transaction has completed");
        assertThatThrownBy(() -> template.sendAfterCommit(message("c")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("sendAfterCommit ")
                .hasMessageContaining("call sendAsync when that transaction has completed");
        assertThat(queue.proxy.traffic().requests()).isZero();

        transaction.executeWithoutResult(status -> {
            template.cancelAfterCommit("orders", "a");
            template.sendAfterCommit(message("c"));
        });
        assertThat(isThere("a")).isFalse();
        assertThat(isThere("c")).isTrue();
    }
}
