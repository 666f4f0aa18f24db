package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.ShardLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands of idle nodes: one node sweeps each shard, for any number of nodes. */
@EmbeddedRedis(dedicated = true)
class IdleCostTests {

    private static final int SHARDS = 6;
    private static final int INTERVALS = 20;
    private static final Duration SWEEP = EngineSettings.DEFAULTS.sweep();
    private static final Duration HEARTBEAT = EngineSettings.DEFAULTS.heartbeat();

    private final RedisServerProcess redis;
    private final VirtualTasks tasks = new VirtualTasks();
    private final List<QueueNode> nodes = new ArrayList<>();
    private final List<ListenerContainer> listeners = new ArrayList<>();

    IdleCostTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeEach
    void flush() {
        redis.flush();
    }

    @AfterEach
    void stop() throws Exception {
        CompletableFuture<?>[] stopping =
                listeners.stream().map(ListenerContainer::stop).toArray(CompletableFuture[]::new);
        tasks.run(SWEEP);
        CompletableFuture.allOf(stopping).join();
        nodes.forEach(QueueNode::close);
    }

    private void start(int topics) {
        QueueNode node = QueueNode.on(redis.port())
                .shards("t0", SHARDS / topics)
                .settings(Pacing.builtIn().settings())
                .tasks(tasks)
                .nanoTime(tasks)
                .trusting()
                .start();
        nodes.add(node);
        for (int i = 0; i < topics; i++) {
            for (int j = 0; j < 2; j++) { // the second one costs nothing
                listeners.add(node.listen("t" + i, ListenerOptions.DEFAULTS, deliveries -> null));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 6", "3, 6", "1, 1", "10, 1"})
    void nodeAddsItsHeartbeatAndNothingElse(int count, int topics) throws Exception {
        for (int i = 0; i < count; i++) {
            start(topics);
        }
        tasks.run(HEARTBEAT.plus(SWEEP).multipliedBy(2));

        redis.command("CONFIG", "RESETSTAT");
        tasks.run(SWEEP.multipliedBy(INTERVALS));
        Map<String, String> stats = redis.info("commandstats");
        long sweeps = calls(stats, "hmget");
        long beats = calls(stats, "zadd");
        long all = innerCalls(stats);
        System.out.printf(
                "%d idle nodes, %d shards of %d topics, in %d intervals: %d sweeps, %d heartbeats, %d commands of scripts%n",
                count, SHARDS, topics, INTERVALS, sweeps, beats, all);

        assertThat(sweeps).isEqualTo((long) SHARDS * INTERVALS);
        assertThat(beats).isEqualTo((long) count * INTERVALS);
        assertThat(calls(stats, "evalsha")).isEqualTo(sweeps + beats);
        assertThat(all).isEqualTo(5 * sweeps + 8 * beats);
    }

    /** A lease of nobody takes the only place, or the next token comes in an hour. */
    @ParameterizedTest
    @ValueSource(strings = {"1 0 1 0", "0 3600000000 1 0"})
    void topicThatIsHeldBackIsPolledAsSeldomAsAnIdleOne(String limits) throws Exception {
        start(SHARDS);
        tasks.run(HEARTBEAT.plus(SWEEP).multipliedBy(2));
        for (int i = 0; i < SHARDS; i++) {
            String shard = "dq:{t" + i + ":0.0}:";
            redis.command(ShardLimits.command(shard + "meta", limits));
            redis.command("HSET", shard + "meta", "arrival", "9000000000000000");
            redis.command("ZADD", shard + "leases", "900000000000000", "of nobody");
            String topic = "t" + i;
            nodes.get(0)
                    .template
                    .sendAll(IntStream.range(0, 500)
                            .mapToObj(id -> NodeTest.message(topic, "m" + id))
                            .toList());
        }
        tasks.run(SWEEP.multipliedBy(2));

        redis.command("CONFIG", "RESETSTAT");
        tasks.run(SWEEP.multipliedBy(INTERVALS));
        Map<String, String> stats = redis.info("commandstats");
        assertThat(calls(stats, "evalsha")).isEqualTo((long) (SHARDS + 1) * INTERVALS);
        assertThat(calls(stats, "zrem")).isZero();
    }

    private static long calls(Map<String, String> stats, String command) {
        String entry = stats.get("cmdstat_" + command);
        return entry == null ? 0 : Long.parseLong(entry.replaceAll("calls=(\\d+),.*", "$1"));
    }

    private static long innerCalls(Map<String, String> stats) {
        Set<String> outer = Set.of("evalsha", "info", "config|resetstat", "config", "ping", "hello");
        return stats.keySet().stream()
                .map(name -> name.substring("cmdstat_".length()))
                .filter(name -> !outer.contains(name))
                .mapToLong(name -> calls(stats, name))
                .sum();
    }
}
