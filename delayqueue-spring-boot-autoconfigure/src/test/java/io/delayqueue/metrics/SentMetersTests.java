package io.delayqueue.metrics;

import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_CANCELLED;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_DUPLICATES;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_SENT;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_UNSENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.template.DuplicateMessageException;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** What a process that only sends counts. */
@EmbeddedRedis
class SentMetersTests extends MeterTest {

    static class NoListener {}

    @BeforeEach
    void begin(RedisServerProcess redis) {
        start(redis, NoListener.class, NO_SAMPLES);
    }

    @Test
    @Moves(MESSAGES_SENT)
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
    @Moves(MESSAGES_DUPLICATES)
    void rejectedDuplicateIsNotSent() {
        DelayMessage message = DelayMessage.to("a")
                .id("m")
                .payload("p")
                .delay(Duration.ofHours(1))
                .build();
        delayQueue().send(message);
        assertThatThrownBy(() -> delayQueue().send(message)).isInstanceOf(DuplicateMessageException.class);

        assertThat(value(MESSAGES_DUPLICATES, "topic", "a")).isEqualTo(1);
        assertThat(value(MESSAGES_SENT, "topic", "a")).isEqualTo(1);
    }

    @Test
    void keptIsNeitherSentNorADuplicateAndReplacedIsSent() {
        DelayMessage message = DelayMessage.to("a")
                .id("m")
                .payload("p")
                .delay(Duration.ofHours(1))
                .build();
        delayQueue().send(message);
        delayQueue().send(message.toBuilder().onDuplicate(OnDuplicate.KEEP).build());
        assertThat(value(MESSAGES_SENT, "topic", "a")).isEqualTo(1);
        delayQueue().send(message.toBuilder().onDuplicate(OnDuplicate.REPLACE).build());

        assertThat(value(MESSAGES_SENT, "topic", "a")).isEqualTo(2);
        assertThat(value(MESSAGES_DUPLICATES, "topic", "a")).isZero();
    }

    @Test
    @Moves(MESSAGES_UNSENT)
    void sendThatFailsAfterTheCommitIsUnsent() {
        DelayMessage message = DelayMessage.to("a")
                .id("m")
                .payload("p")
                .delay(Duration.ofHours(1))
                .build();
        delayQueue().send(message);
        TransactionTemplate transaction = new TransactionTemplate(new Transactions());

        assertThatThrownBy(() -> transaction.execute(status -> delayQueue().sendAfterCommit(message)))
                .isInstanceOf(DuplicateMessageException.class);
        assertThat(value(MESSAGES_UNSENT, "topic", "a")).isEqualTo(1);
    }

    /** Over nothing. */
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
    @Moves(MESSAGES_CANCELLED)
    void onlyWhatWasThereIsCancelled() {
        delayQueue()
                .send(DelayMessage.to("a")
                        .id("m")
                        .payload("p")
                        .delay(Duration.ofHours(1))
                        .build());
        List.of("m", "m", "never sent").forEach(id -> delayQueue().cancel("a", id));

        assertThat(value(MESSAGES_CANCELLED, "topic", "a")).isEqualTo(1);
    }
}
