package io.delayqueue.metrics;

import static io.delayqueue.metrics.DelayQueueMeters.ACTIONS;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_CANCELLED;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_DUPLICATES;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_SENT;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_UNCANCELLED;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_UNSENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.admin.AuditLog;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.template.DelayQueueUnavailableException;
import io.delayqueue.template.DuplicateMessageException;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** The meters of a process that only sends. */
@EmbeddedRedis
class SentMetersTests extends MeterTest {

    static class NoListener {}

    private static final DelayMessage MESSAGE =
            DelayMessage.to("a").id("m").payload("p").delay(Duration.ofHours(1)).build();

    @BeforeEach
    void begin(RedisServerProcess redis) {
        start(redis, NoListener.class, NO_SAMPLES, "delayqueue.limits.after-commit-timeout=0s");
    }

    @Test
    @TestsMeters(MESSAGES_SENT)
    void eachStoredMessageCountsAsSent() {
        delayQueue().send("a", "one", Duration.ofHours(1));
        delayQueue()
                .sendAsync("a", "two", Duration.ofHours(1))
                .toCompletableFuture()
                .join();
        delayQueue()
                .sendAll(IntStream.range(0, 600)
                        .mapToObj(i -> DelayMessage.to("b")
                                .payload("p")
                                .delay(Duration.ofHours(1))
                                .build())
                        .toList());

        assertThat(value(MESSAGES_SENT, "topic", "a")).isEqualTo(2);
        assertThat(value(MESSAGES_SENT, "topic", "b")).isEqualTo(600);
    }

    @Test
    @TestsMeters(MESSAGES_DUPLICATES)
    void rejectedDuplicateIsNotSent() {
        delayQueue().send(MESSAGE);
        assertThatThrownBy(() -> delayQueue().send(MESSAGE)).isInstanceOf(DuplicateMessageException.class);

        assertThat(value(MESSAGES_DUPLICATES, "topic", "a")).isEqualTo(1);
        assertThat(value(MESSAGES_SENT, "topic", "a")).isEqualTo(1);
    }

    @Test
    void keptMessageIsNotCountedAndReplacedMessageIsSent() {
        delayQueue().send(MESSAGE);
        delayQueue().send(MESSAGE.toBuilder().onDuplicate(OnDuplicate.KEEP).build());
        assertThat(value(MESSAGES_SENT, "topic", "a")).isEqualTo(1);
        delayQueue().send(MESSAGE.toBuilder().onDuplicate(OnDuplicate.REPLACE).build());

        assertThat(value(MESSAGES_SENT, "topic", "a")).isEqualTo(2);
        assertThat(value(MESSAGES_DUPLICATES, "topic", "a")).isZero();
    }

    @Test
    @TestsMeters(MESSAGES_UNSENT)
    void sendThatFailsAfterTheCommitIsUnsent() {
        delayQueue().send(MESSAGE);
        TransactionTemplate transaction = new TransactionTemplate(new Transactions());

        assertThatThrownBy(() -> transaction.execute(status -> delayQueue().sendAfterCommit(MESSAGE)))
                .isInstanceOf(DuplicateMessageException.class);
        assertThat(value(MESSAGES_UNSENT, "topic", "a")).isEqualTo(1);
    }

    @Test
    @TestsMeters(MESSAGES_UNCANCELLED)
    void cancelThatFailsAfterTheCommitIsUncancelled(RedisServerProcess redis) {
        delayQueue().send(MESSAGE);
        TransactionTemplate transaction = new TransactionTemplate(new Transactions());
        byte[] messages = bean(KeySpace.class).of(Shard.single("a")).messages();
        redis.command("SET", new String(messages, StandardCharsets.UTF_8), "of another type");

        assertThatThrownBy(() ->
                        transaction.executeWithoutResult(status -> delayQueue().cancelAfterCommit("a", "m")))
                .isInstanceOf(DelayQueueUnavailableException.class);
        assertThat(value(MESSAGES_UNCANCELLED, "topic", "a")).isEqualTo(1);
    }

    private static final class Transactions extends AbstractPlatformTransactionManager {

        private static final long serialVersionUID = 1L;

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }

    @Test
    @TestsMeters(MESSAGES_CANCELLED)
    void onlyExistingMessagesAreCancelled() {
        delayQueue().send(MESSAGE);
        List.of("m", "m", "never sent").forEach(id -> delayQueue().cancel("a", id));

        assertThat(value(MESSAGES_CANCELLED, "topic", "a")).isEqualTo(1);
    }

    @Test
    @TestsMeters(ACTIONS)
    void actionsOfOperatorsAreCounted() {
        bean(AuditLog.class).add("", "cancel", "a", 5);
        bean(AuditLog.class).add("admin", "replay", "a", 0);

        assertThat(value(ACTIONS, "topic", "a")).isEqualTo(2);
    }
}
