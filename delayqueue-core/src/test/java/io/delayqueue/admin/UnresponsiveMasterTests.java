package io.delayqueue.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.QueueConnections;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.RedisMessageStore;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.ShardReader;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.test.redis.topology.RedisClusterProcess;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Topics on three masters, of which one stops responding. */
@Tag("long")
@Tag("core")
class UnresponsiveMasterTests {

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);
    private static final int TOPICS = 60;

    private final KeySpace keySpace = new KeySpace("dq");

    @Test
    @Timeout(120)
    void topicsOfOtherMastersAreReadWithinOneCommandTimeout() {
        ExecutorService executor = Executors.newCachedThreadPool();
        try (RedisClusterProcess cluster =
                RedisClusterProcess.builder().replicasPerMaster(0).proxied().start()) {
            LettuceConnectionFactory application =
                    new LettuceConnectionFactory(new RedisClusterConfiguration(cluster.addresses()));
            application.afterPropertiesSet();
            application.start();
            QueueConnections connections = new QueueConnections(
                    application,
                    new QueueConnections.Settings(COMMAND_TIMEOUT, Duration.ofMillis(100)),
                    executor,
                    System::nanoTime);
            try {
                read(cluster, new RedisScripts(connections));
            } finally {
                connections.close();
                application.destroy();
            }
        } finally {
            executor.shutdownNow();
        }
    }

    private void read(RedisClusterProcess cluster, ScriptRunner scripts) {
        TopicRegistry registry = new TopicRegistry(scripts, keySpace, ShardPlan.NONE);
        MessageStore store = new RedisMessageStore(scripts, keySpace, registry);
        NodeDirectory directory = new NodeDirectory(scripts, keySpace, Duration.ofSeconds(15));
        DelayQueueInspector inspector =
                new DelayQueueInspector(store, new ShardReader(scripts, keySpace, registry), registry, directory);
        List<String> topics = IntStream.range(0, TOPICS).mapToObj(i -> "t" + i).toList();
        topics.forEach(topic -> store.enableNotifications(Shard.single(topic)).join());
        assertThat(inspector.topics()).hasSize(TOPICS).allMatch(topic -> topic.counts() != null);

        List<RedisServerProcess> keepers =
                List.of(cluster.masterOf(keySpace.topics()), cluster.masterOf(keySpace.nodes()));
        RedisServerProcess unresponsive = cluster.masters().stream()
                .filter(master -> !keepers.contains(master))
                .findFirst()
                .orElseThrow();
        Set<String> lost = topics.stream()
                .filter(topic -> cluster.masterOf(
                                keySpace.of(Shard.single(topic)).meta())
                        .equals(unresponsive))
                .collect(Collectors.toSet());
        cluster.proxyOf(unresponsive).blackHole(Direction.values());

        long begun = System.nanoTime();
        List<TopicStatus> seen = inspector.topics();
        Duration took = Duration.ofNanos(System.nanoTime() - begun);

        System.out.println(lost.size() + " of " + TOPICS + " topics on an unresponsive master: read after "
                + took.toMillis() + " ms, with a command timeout of " + COMMAND_TIMEOUT.toMillis() + " ms");
        assertThat(lost.size()).isGreaterThan(6);
        assertThat(seen).hasSize(TOPICS).allMatch(topic -> (topic.counts() == null) == lost.contains(topic.topic()));
        assertThat(seen).allMatch(topic -> (topic.problem() == null) != lost.contains(topic.topic()));
        assertThat(took).isLessThan(COMMAND_TIMEOUT.multipliedBy(3));
    }
}
