package io.delayqueue.container;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.event.EventBus;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Failure;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.SignalSource.SignalListener;
import io.delayqueue.store.CrashLimits;
import io.delayqueue.store.DeadLetterQuery;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.PollRequest.Claiming;
import io.delayqueue.store.PollRequest.Reclaiming;
import io.delayqueue.store.Settlement;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.SystemClock;
import java.time.Duration;
import java.util.LinkedHashSet;
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
    void consumingNodePrunesDeadLettersAndReportsIt() {
        EngineSettings settings = Pacing.builtIn()
                .retention(Duration.ofMillis(100), Duration.ofDays(30), 2)
                .settings();
        try (QueueNode node = new QueueNode(redis.port(), settings, happenings)) {
            for (int i = 0; i < 5; i++) {
                toDeadLetters(node, i);
            }
            assertThat(deadLetters(node)).hasSize(5);

            node.engine.signals().listen(SHARD, new Deaf());

            await().untilAsserted(() -> assertThat(deadLetters(node))
                    .extracting(DeadLetter::messageId)
                    .containsExactly("m4", "m3"));
            await().until(() -> happenings.count("deadLettersDropped") > 0);
        }
    }

    @Test
    void deadLettersThatAreTooLargeTogetherArePruned() {
        EngineSettings settings = Pacing.builtIn()
                .retention(Duration.ofMillis(100), Duration.ofDays(30), 100)
                .deadLetterMaxBytes(25_000)
                .settings();
        try (QueueNode node = new QueueNode(redis.port(), settings, happenings)) {
            for (int i = 0; i < 4; i++) {
                toDeadLetters(node, i, "x".repeat(10_000));
            }
            node.engine.signals().listen(SHARD, new Deaf());

            await().untilAsserted(() -> assertThat(deadLetters(node))
                    .extracting(DeadLetter::messageId)
                    .containsExactly("m3", "m2"));
            await().until(() -> happenings.count("deadLettersDropped") > 0);
        }
    }

    @Test
    void failingShardDoesNotPreventPruningOfOthers() {
        EngineSettings settings = Pacing.quiet()
                .retention(Duration.ofDays(1), Duration.ofDays(30), 0)
                .settings();
        try (QueueNode node = QueueNode.on(redis.port()).settings(settings).start()) {
            toDeadLetters(node, 1);
            Shard broken = Shard.single("broken");
            node.template.send(DelayMessage.to("broken").payload("p").build());
            redis.command("DEL", new String(node.keySpace.of(broken).dead(), UTF_8));
            redis.command("SET", new String(node.keySpace.of(broken).dead(), UTF_8), "no dead letters");
            RetentionTask retention = new RetentionTask(
                    node.store,
                    new LinkedHashSet<>(List.of(broken, SHARD)),
                    settings,
                    new EventBus(List.of()),
                    System::nanoTime);

            assertThatThrownBy(retention::run).isInstanceOf(RedisCallException.class);
            assertThat(deadLetters(node)).isEmpty();
        }
    }

    private static List<DeadLetter> deadLetters(QueueNode node) {
        return node.store.awaitDeadLetters(SHARD, new DeadLetterQuery.Page(null, 0, 10));
    }

    private static void toDeadLetters(QueueNode node, int number) {
        toDeadLetters(node, number, "p");
    }

    private static void toDeadLetters(QueueNode node, int number, String payload) {
        node.template.send(
                DelayMessage.to("t").id("m" + number).payload(payload).build());
        PollReply claimed = node.store.awaitPoll(SHARD, poll(2L * number, 1, List.of()));
        Settlement deadLetter = new Settlement.ToDeadLetters(
                "m" + number, claimed.claims().get(0).token(), DeadLetterCause.REQUESTED, new Failure("test", "dead"));
        long before = claimed.nowMicros() / 1000;
        // dead letters of the same millisecond are pruned in the order of their ids
        await().until(() -> SystemClock.millis() > before);
        node.store.awaitPoll(SHARD, poll(2L * number + 1, 0, List.of(deadLetter)));
    }

    private static PollRequest poll(long sequence, int claims, List<Settlement> settlements) {
        return new PollRequest(
                "gravedigger",
                sequence,
                new Claiming(claims, 1000, Duration.ofSeconds(30)),
                new Reclaiming(0, 10, CrashLimits.DEFAULTS, Duration.ofSeconds(6), Duration.ofSeconds(10)),
                false,
                settlements,
                List.of());
    }

    private static final class Deaf implements SignalListener {

        @Override
        public void headAt(long dueMillis) {}

        @Override
        public void dueMessagesLeft(String consumer) {}

        @Override
        public void resubscribed() {}
    }
}
