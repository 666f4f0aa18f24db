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
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

class SendAfterCommitTests extends RedisTest {

    private final CountedTransactions transactions = new CountedTransactions();
    private final TransactionTemplate transaction = new TransactionTemplate(transactions);
    private final AtomicInteger pauses = new AtomicInteger();
    private final AtomicLong nanos = new AtomicLong();

    @BeforeEach
    void open() {
        queue.template().send("orders", "makes Redis know the script");
        queue.recorded.clear();
        queue.proxy.traffic().reset();
    }

    private DelayQueueTemplate template() {
        return template(() -> {});
    }

    /** Time passes only while the committer waits. Something is done in its second pause. */
    private DelayQueueTemplate template(Runnable inSecondPause) {
        return queue.templateBuilder()
                .waiting(nanos::get, pause -> {
                    if (pauses.incrementAndGet() == 2) {
                        inSecondPause.run();
                    }
                    nanos.addAndGet(pause.toNanos());
                })
                .build();
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
    void nothingIsSentBeforeTheCommitAndAllOfItAfterwards() {
        DelayQueueTemplate template = template();

        String id = transaction.execute(status -> {
            String generated = template.sendAfterCommit("orders", "p", Duration.ofHours(1));
            template.sendAfterCommit(message("b"));
            template.sendAfterCommit(message("c"));
            assertThat(queue.proxy.traffic().requests()).isZero();
            return generated;
        });

        assertThat(queue.proxy.traffic().requests()).isEqualTo(1);
        assertThat(isThere(id)).isTrue();
        assertThat(isThere("b") && isThere("c")).isTrue();
        assertThat(queue.recorded.lines()).containsExactly("sent orders 3");
    }

    @Test
    void nothingIsSentWhenTheTransactionRollsBack() {
        DelayQueueTemplate template = template();

        transaction.executeWithoutResult(status -> {
            template.sendAfterCommit(message("a"));
            status.setRollbackOnly();
        });
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    template.sendAfterCommit(message("b"));
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");

        assertThat(queue.proxy.traffic().requests()).isZero();
    }

    @Test
    void withoutATransactionItIsSentAtOnce() {
        template().sendAfterCommit(message("a"));

        assertThat(isThere("a")).isTrue();
        assertThatThrownBy(() -> template().sendAfterCommit(message("a")))
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
                    DelayMessage.to("orders").id("a").payload(payload).build());
            payload.set(0, "later");
        });

        assertThat(template.find("orders", "a").orElseThrow().envelope().payload())
                .asString()
                .contains("then");
    }

    @Test
    void anOutageShorterThanTheTimeoutIsBridged() {
        DelayQueueTemplate template = template(queue.faults::pass);
        queue.faults.refuse();

        transaction.executeWithoutResult(status -> template.sendAfterCommit(message("a")));

        assertThat(isThere("a")).isTrue();
        assertThat(pauses.get()).isEqualTo(2);
        assertThat(queue.recorded.lines()).containsExactly("sent orders 1");
    }

    @Test
    void aSendWithoutReplyIsRepeatedUnchanged() {
        DelayQueueTemplate template = template(queue.faults::pass);
        queue.faults.loseReplies("send");

        transaction.executeWithoutResult(status -> {
            template.sendAfterCommit(message("a"));
            template.sendAfterCommit("orders", "generated", Duration.ofHours(1));
        });

        assertThat(isThere("a")).isTrue();
        assertThat(Await.result(queue.store.count(Shard.single("orders"))).scheduled())
                .isEqualTo(2);
    }

    @Test
    void afterTheTimeoutTheCommitThrowsAndTheTransactionIsCommitted() {
        DelayQueueTemplate template = template();
        queue.faults.refuse();

        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> template.sendAfterCommit(message("a"))))
                .isInstanceOf(MessageRejectedException.class)
                .hasMessageStartingWith("Message a to topic orders ");

        assertThat(transactions.commits()).isEqualTo(1);
        assertThat(nanos.get()).isEqualTo(Duration.ofSeconds(10).toNanos());
        assertThat(pauses.get()).isEqualTo(14);
        assertThat(queue.recorded.lines()).hasSize(1).allMatch(line -> line.startsWith("failed orders a "));
    }

    @Test
    void eachOfSeveralFailuresIsReported() {
        DelayQueueTemplate template = template();
        queue.template().send(message("b"));
        queue.recorded.clear();

        BatchSendException failed = catchThrowableOfType(
                BatchSendException.class,
                () -> transaction.executeWithoutResult(status -> {
                    template.sendAfterCommit(message("a"));
                    template.sendAfterCommit(message("b"));
                    template.sendAfterCommit(message("c"));
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
            assertThatThrownBy(() -> transaction.executeWithoutResult(status -> template.sendAfterCommit(message("a"))))
                    .isInstanceOf(DelayQueueException.class);
            assertThat(pauses.get()).isEqualTo(2);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void anInnerTransactionSendsItsOwnOnly() {
        DelayQueueTemplate template = template();
        TransactionTemplate inner = new TransactionTemplate(transactions);
        inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

        transaction.executeWithoutResult(status -> {
            template.sendAfterCommit(message("outer"));
            inner.executeWithoutResult(ignored -> template.sendAfterCommit(message("inner")));
            assertThat(isThere("inner")).isTrue();
            assertThat(isThere("outer")).isFalse();
            status.setRollbackOnly();
        });

        assertThat(isThere("outer")).isFalse();
    }

    @Test
    void messagesSentAfterASavepointAreRolledBackWithIt() {
        DelayQueueTemplate template = template();
        TransactionTemplate nested = new TransactionTemplate(transactions);
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);

        transaction.executeWithoutResult(status -> {
            nested.executeWithoutResult(inner -> {
                template.sendAfterCommit(message("first"));
                inner.setRollbackOnly();
            });
            template.sendAfterCommit(message("kept"));
            nested.executeWithoutResult(inner -> {
                template.sendAfterCommit(message("dropped"));
                inner.setRollbackOnly();
            });
            nested.executeWithoutResult(inner -> template.sendAfterCommit(message("nested")));
        });

        assertThat(isThere("kept") && isThere("nested")).isTrue();
        assertThat(isThere("first") || isThere("dropped")).isFalse();
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
                    template.sendAfterCommit(message("a"));
                }))
                .hasMessage("other");

        assertThat(isThere("a")).isTrue();
    }
}
