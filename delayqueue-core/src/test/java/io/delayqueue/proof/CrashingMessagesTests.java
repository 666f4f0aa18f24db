package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.QueueNode;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.store.DeadLetterQuery;
import io.delayqueue.store.ShardCounts;
import io.delayqueue.test.redis.RedisServerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Messages kill each process that handles them. Only these become dead letters. */
@Tag("long")
@Tag("core")
class CrashingMessagesTests {

    private static final int MESSAGES = 40_000;
    private static final int KILLERS = 5;
    private static final int PROCESSES = 4;
    private static final Shard SHARD = Shard.single(CrashingConsumer.TOPIC);

    private final long seed = System.nanoTime();
    private final Set<String> handled = ConcurrentHashMap.newKeySet();
    private final AtomicLong lastHandled = new AtomicLong();
    private final AtomicLong longestPause = new AtomicLong();
    private final List<KillableConsumer> consumers = new ArrayList<>();
    private int crashes;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @AfterEach
    void stop() {
        consumers.forEach(KillableConsumer::close);
    }

    @Test
    @Timeout(400)
    void noMessageIsDeadLetteredForAnother() {
        System.out.println("seed " + seed);
        try (RedisServerProcess redis = RedisServerProcess.builder().start()) {
            QueueNode sender = QueueNode.on(redis.port())
                    .settings(CrashingConsumer.SETTINGS)
                    .start();
            send(sender);
            for (int i = 0; i < PROCESSES; i++) {
                start(redis);
            }
            await().atMost(Duration.ofMinutes(5)).until(() -> {
                restart(redis);
                ShardCounts counts = sender.store.count(SHARD).join();
                return counts.scheduled() + counts.ready() + counts.leased() == 0;
            });

            List<DeadLetter> deadLetters = sender.store
                    .deadLetters(SHARD, new DeadLetterQuery.Page(null, 0, 100))
                    .join();
            System.out.println(crashes + " crashes; no message was handled for at most " + longestPause + " ms");
            assertThat(deadLetters).hasSize(KILLERS).allSatisfy(deadLetter -> {
                assertThat(deadLetter.messageId()).startsWith(CrashingConsumer.KILLER);
                assertThat(deadLetter.cause()).isEqualTo(DeadLetterCause.CRASHED);
                assertThat(deadLetter.node()).isNotNull();
            });
            assertThat(handled).hasSize(MESSAGES - KILLERS).noneMatch(id -> id.startsWith(CrashingConsumer.KILLER));
            assertThat(longestPause.get())
                    .isLessThan(CrashingConsumer.LEASE
                            .plus(CrashingConsumer.SETTINGS.sweep())
                            .multipliedBy(3)
                            .toMillis());
            sender.close();
        }
    }

    private void send(QueueNode sender) {
        Random random = new Random(seed);
        List<DelayMessage> all = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            boolean killer = i < KILLERS;
            all.add(DelayMessage.to(CrashingConsumer.TOPIC)
                    .id((killer ? CrashingConsumer.KILLER : "m") + i)
                    .payload("")
                    .delay(Duration.ofMillis(random.nextInt(killer ? 5_000 : 60_000)))
                    .build());
        }
        sender.template.sendAll(all);
    }

    private void start(RedisServerProcess redis) {
        consumers.add(KillableConsumer.start(
                CrashingConsumer.class,
                List.of(Integer.toString(redis.port()), Long.toString(CrashingConsumer.LEASE.toMillis())),
                directory.resolve("consumers.log"),
                (consumer, line) -> handled(line)));
    }

    private void handled(String line) {
        long now = System.currentTimeMillis();
        long last = lastHandled.getAndSet(now); // or the last start: it takes long on a busy machine
        if (!line.equals("ready")) {
            handled.add(line);
            longestPause.accumulateAndGet(last == 0 ? 0 : now - last, Math::max);
        }
    }

    private void restart(RedisServerProcess redis) {
        List<KillableConsumer> ended =
                consumers.stream().filter(consumer -> !consumer.isAlive()).toList();
        for (KillableConsumer each : ended) {
            consumers.remove(each);
            each.close();
            crashes++;
            start(redis);
        }
    }
}
