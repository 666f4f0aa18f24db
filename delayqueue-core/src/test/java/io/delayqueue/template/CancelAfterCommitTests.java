package io.delayqueue.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.SendResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

class CancelAfterCommitTests extends RedisTest {

    private final CountedTransactions transactions = new CountedTransactions();
    private final TransactionTemplate transaction = new TransactionTemplate(transactions);
    private final AtomicInteger pauses = new AtomicInteger();
    private final AtomicLong nanos = new AtomicLong();

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
    void nothingIsCancelledWhenTheTransactionRollsBack() {
        DelayQueueTemplate template = template();

        transaction.executeWithoutResult(status -> {
            template.cancelAfterCommit("orders", "a");
            status.setRollbackOnly();
        });
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    template.cancelAfterCommit("orders", "b");
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");

        assertThat(queue.proxy.traffic().requests()).isZero();
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
    void afterTheTimeoutTheCommitThrowsAndTheTransactionIsCommitted() {
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
    void anInnerTransactionCancelsItsOwnOnly() {
        DelayQueueTemplate template = template();
        TransactionTemplate inner = new TransactionTemplate(transactions);
        inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

        transaction.executeWithoutResult(status -> {
            template.cancelAfterCommit("orders", "a");
            inner.executeWithoutResult(ignored -> template.cancelAfterCommit("orders", "b"));
            assertThat(isThere("b")).isFalse();
            status.setRollbackOnly();
        });

        assertThat(isThere("a")).isTrue();
    }

    @Test
    void cancelsAfterASavepointAreRolledBackWithIt() {
        DelayQueueTemplate template = template();
        TransactionTemplate nested = new TransactionTemplate(transactions);
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);

        transaction.executeWithoutResult(status -> {
            template.sendAfterCommit(message("c"));
            nested.executeWithoutResult(inner -> {
                template.cancelAfterCommit("orders", "a");
                inner.setRollbackOnly();
            });
            nested.executeWithoutResult(inner -> template.cancelAfterCommit("orders", "b"));
        });

        assertThat(isThere("a") && isThere("c")).isTrue();
        assertThat(isThere("b")).isFalse();
    }

    @Test
    void anotherOnesFailureAfterTheCommitLosesNothing() {
        DelayQueueTemplate template = template();

        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                        @Override
                        public void afterCommit() {
                            throw new IllegalStateException("other");
                        }
                    });
                    template.cancelAfterCommit("orders", "a");
                }))
                .hasMessage("other");

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
