package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.TopicSampler;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.Shard;
import io.delayqueue.store.script.ShardReader;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.test.redis.topology.RedisClusterProcess;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Shards on several masters, one of which does not reply for a while. */
@Tag("long")
@Tag("core")
class HangingMasterTests {

    private static final int SHARDS = 12;

    private final RedisClusterProcess cluster = RedisClusterProcess.builder()
            .replicasPerMaster(0)
            .nodeTimeout(Duration.ofMinutes(1))
            .setting("cluster-require-full-coverage", "no")
            .start();
    private final Happenings happenings = new Happenings();
    private final QueueNode node = QueueNode.on(cluster.addresses())
            .shards("t", SHARDS)
            // by sweeps: the node may be subscribed to the master that hangs
            .settings(Pacing.builtIn()
                    .taskThreads(1)
                    .sweep(Duration.ofMillis(300))
                    .heartbeat(Duration.ofSeconds(1))
                    .retention(Duration.ofMillis(500), Duration.ofDays(30), 1000)
                    .settings())
            .events(happenings)
            .start();

    @AfterEach
    void close() {
        node.close();
        cluster.close();
    }

    /** All tasks share one thread, which must not wait for the command timeout of each call. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(120)
    void shardsOfOtherMastersHeartbeatsAndSamplingAreNotSlowedDown(boolean heartbeats) {
        RedisServerProcess ofHeartbeats = cluster.masterOf(node.keySpace.nodes());
        TopicSampler sampler = new TopicSampler(
                new DelayQueueInspector(
                        node.store,
                        new ShardReader(node.scripts, node.keySpace, node.registry),
                        node.registry,
                        node.directory),
                () -> CompletableFuture.completedFuture(List.of()),
                Duration.ofSeconds(1),
                InstantSource.system(),
                System::nanoTime);
        sampler.schedule(node.engine.tasks(), "sampler");
        await().until(() -> sampler.age().isPresent());
        keepPaceBeside(cluster.masters().stream()
                .filter(master -> master.equals(ofHeartbeats) == heartbeats)
                .findFirst()
                .orElseThrow());
        await().atMost(Duration.ofSeconds(30))
                .until(() -> sampler.age().orElseThrow().compareTo(Duration.ofSeconds(3)) < 0);
    }

    private void keepPaceBeside(RedisServerProcess hanging) {
        List<RedisServerProcess> masters = IntStream.range(0, SHARDS)
                .mapToObj(index -> new Shard("t", index, SHARDS, QueueKind.MESSAGES))
                .map(shard -> cluster.masterOf(node.keySpace.of(shard).meta()))
                .toList();
        node.listen("t", ListenerOptions.DEFAULTS, deliveries -> null);
        int sent = send(0, 300, shard -> true);
        await().atMost(Duration.ofSeconds(30)).until(() -> happenings.count("acknowledged") == sent);
        Predicate<Shard> elsewhere = shard -> !masters.get(shard.index()).equals(hanging);

        hanging.pause();
        int others = 0;
        try {
            long begun = System.nanoTime();
            for (int round = 0; round < 10; round++) {
                others += send(1000 + round * 100, 1100 + round * 100, elsewhere);
                int expected = sent + others;
                await().atMost(Duration.ofSeconds(20)).until(() -> happenings.count("acknowledged") == expected);
            }
            long tookMillis = (System.nanoTime() - begun) / 1_000_000;
            System.out.println(others + " messages beside a master that hangs took " + tookMillis + " ms");
            // ten rounds of five seconds if they waited for the reply
            assertThat(tookMillis).isLessThan(15_000);
        } finally {
            hanging.resume();
        }
        int more = send(5000, 5300, shard -> true);
        int all = sent + others + more;
        await().atMost(Duration.ofSeconds(60)).until(() -> happenings.count("acknowledged") == all);
    }

    private int send(int from, int to, Predicate<Shard> wanted) {
        List<DelayMessage> messages = new ArrayList<>();
        for (int i = from; i < to; i++) {
            Shard shard = Shard.of("t", "m" + i, SHARDS);
            if (wanted.test(shard)) {
                messages.add(DelayMessage.to("t").id("m" + i).payload("").build());
            }
        }
        node.template.sendAll(messages);
        return messages.size();
    }
}
