package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DeathCause;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Failure;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource.SignalListener;
import io.delayqueue.store.LetterQuery;
import io.delayqueue.store.Settle;
import io.delayqueue.store.StepReply;
import io.delayqueue.store.StepRequest;
import io.delayqueue.store.StepRequest.Claiming;
import io.delayqueue.store.StepRequest.Reclaiming;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@EmbeddedRedis
class RetentionTests {

    private static final Shard SHARD = Shard.single("t");

    private final RedisServerProcess redis;
    private final Happenings happenings = new Happenings();

    RetentionTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeEach
    void flush() {
        redis.flush();
    }

    @Test
    void whoeverHearsATopicsSignalsPrunesItsLettersAndTells() {
        EngineSettings settings = Pacing.builtIn()
                .retention(Duration.ofMillis(100), Duration.ofDays(30), 2)
                .settings();
        try (QueueNode node = new QueueNode(redis.port(), settings, happenings)) {
            for (int i = 0; i < 5; i++) {
                die(node, i);
            }
            assertThat(letters(node)).hasSize(5);

            node.engine.signals().listen(SHARD, new Deaf());

            await().untilAsserted(() ->
                    assertThat(letters(node)).extracting(DeadLetter::messageId).containsExactly("m4", "m3"));
            await().until(() -> happenings.count("lettersDropped") > 0);
        }
    }

    private static List<DeadLetter> letters(QueueNode node) {
        return node.store.letters(SHARD, new LetterQuery.Page(null, 0, 10));
    }

    private static void die(QueueNode node, int number) {
        node.template.send(DelayMessage.to("t").id("m" + number).payload("p").build());
        StepReply claimed = node.store.step(SHARD, step(2L * number, 1, List.of()));
        Settle bury = new Settle.Bury(
                "m" + number, claimed.claims().get(0).token(), DeathCause.BURIED, new Failure("test", "dead"));
        long before = claimed.nowMicros() / 1000;
        // letters of one millisecond leave in the order of their ids
        await().until(() -> System.currentTimeMillis() > before);
        node.store.step(SHARD, step(2L * number + 1, 0, List.of(bury)));
    }

    private static StepRequest step(long sequence, int claims, List<Settle> settles) {
        return new StepRequest(
                "gravedigger",
                sequence,
                new Claiming(claims, 1000, Duration.ofSeconds(30)),
                new Reclaiming(0, 10, Duration.ofSeconds(6), Duration.ofSeconds(10)),
                false,
                settles,
                List.of());
    }

    private static final class Deaf implements SignalListener {

        @Override
        public void headAt(long dueMillis) {}

        @Override
        public void surplus(String consumer) {}

        @Override
        public void membersChanged() {}

        @Override
        public void resubscribed() {}
    }
}
