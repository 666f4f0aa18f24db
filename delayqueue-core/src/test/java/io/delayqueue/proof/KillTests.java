package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.Pacing;
import io.delayqueue.container.QueueNode;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.test.redis.RedisServerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** One kill of a consumer and one of Redis. The long tests kill many of them under load. */
class KillTests {

    private static final List<String> IDS =
            IntStream.range(0, 20).mapToObj(i -> "m" + i).toList();
    private static final Duration SHORT_LEASE = Duration.ofSeconds(1);
    private static final ListenerOptions LONG_LEASE =
            ListenerOptions.DEFAULTS.toBuilder().lease(Duration.ofHours(1)).build();

    private final RedisServerProcess redis =
            RedisServerProcess.builder().appendOnly().start();
    private final Ledger ledger = new Ledger();
    /** A consumer that reads the shard later than a sweep after its last poll would wait before it reclaims. */
    private final QueueNode node = QueueNode.on(redis.port())
            .settings(Pacing.builtIn()
                    .heartbeat(Duration.ofMillis(200))
                    .sweep(Duration.ofMinutes(1))
                    .settings())
            .events(ledger)
            .start();

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @AfterEach
    void stop() {
        node.close();
        redis.close();
    }

    /** The consumer is killed while it handles a message. */
    @Test
    void openMessagesOfAKilledConsumerAreDeliveredAgain() {
        Set<String> handled = ConcurrentHashMap.newKeySet();
        Set<String> ids = new HashSet<>(IDS);
        ids.add(ConsumerProcess.ENDLESS);
        send(ConsumerProcess.TOPIC, ids);
        Queue<String> lines = new ConcurrentLinkedQueue<>();
        try (KillableConsumer consumer = KillableConsumer.start(
                redis.port(), SHORT_LEASE, directory.resolve("consumer.log"), (process, line) -> lines.add(line))) {
            await().until(() -> lines.stream().anyMatch(line -> line.contains(" started endless"))
                    && !stored(ConsumerProcess.TOPIC).contains("m0"));
            consumer.kill();
        }
        Set<String> open = stored(ConsumerProcess.TOPIC);
        Queue<String> handledAgain = new ConcurrentLinkedQueue<>();
        node.listen(ConsumerProcess.TOPIC, LONG_LEASE, deliveries -> {
            handledAgain.add(deliveries.get(0).id());
            return null;
        });
        await().until(() -> stored(ConsumerProcess.TOPIC).isEmpty());
        assertThat(handledAgain)
                .contains(ConsumerProcess.ENDLESS)
                .doesNotHaveDuplicates()
                .isSubsetOf(open);
        lines.stream().filter(line -> line.contains(" ended ")).forEach(line -> handled.add(line.split(" ")[2]));
        handled.addAll(handledAgain);
        assertThat(handled).containsAll(ids);
    }

    /** Redis is killed while messages are handled, and restarted. */
    @Test
    void eachMessageHasOneOutcomeAlthoughRedisIsKilled() {
        CountDownLatch restarted = new CountDownLatch(1);
        send("t", IDS);
        node.listen("t", LONG_LEASE, deliveries -> {
            ledger.handlerStarted(deliveries.get(0));
            if (deliveries.get(0).id().endsWith("5")) {
                restarted.await();
            }
            ledger.handlerEnded(deliveries.get(0));
            return null;
        });
        await().until(() -> ledger.settled() > 0);

        redis.kill();
        redis.restart();
        restarted.countDown();

        await().until(() -> ledger.settled() == IDS.size());
        await().until(() -> stored("t").isEmpty());
        ledger.check();
    }

    private void send(String topic, Collection<String> ids) {
        ids.forEach(ledger::sent);
        node.template.sendAll(ids.stream()
                .map(id -> DelayMessage.to(topic).id(id).payload("").build())
                .toList());
    }

    private Set<String> stored(String topic) {
        return Ledger.ids(redis, "HKEYS", "dq:{" + topic + ":0.0}:messages");
    }
}
