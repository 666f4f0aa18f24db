package io.delayqueue.sharding;

import static io.delayqueue.sharding.ShardedQueue.TOPIC;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.sharding.ShardedQueue.Node;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.test.redis.topology.RedisClusterProcess;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Runs the contract on a cluster with three masters. */
@Tag("long")
@Tag("core")
class ShardedTopicOnClusterTests extends ShardedTopicContract {

    private static RedisClusterProcess cluster;

    private static ShardedQueue queue;

    @BeforeAll
    static void startCluster() {
        cluster = RedisClusterProcess.builder().replicasPerMaster(0).start();
        queue = new ShardedQueue(new LettuceConnectionFactory(new RedisClusterConfiguration(cluster.addresses())));
    }

    @AfterAll
    static void stopCluster() {
        queue.close();
        cluster.close();
    }

    @BeforeEach
    void flush() {
        cluster.flush();
    }

    @Override
    ShardedQueue queue() {
        return queue;
    }

    @Override
    Set<String> keys() {
        Set<String> keys = new HashSet<>();
        for (RedisServerProcess master : cluster.masters()) {
            ((List<?>) master.command("KEYS", "*")).forEach(key -> keys.add(String.valueOf(key)));
        }
        return keys;
    }

    @Override
    void loseKey(byte[] key) {
        cluster.masterOf(key).command("DEL", new String(key, UTF_8));
    }

    @Test
    void shardsAreDistributedOverAllMasters() {
        Node node = queue.node(12);
        for (int i = 0; i < 200; i++) {
            node.send("m" + i, Duration.ofHours(1));
        }
        for (RedisServerProcess master : cluster.masters()) {
            long shards = ((List<?>) master.command("KEYS", "*:schedule"))
                    .stream()
                            .filter(key -> String.valueOf(key).contains(":{" + TOPIC + ":"))
                            .filter(key -> !String.valueOf(key).contains("notifications"))
                            .count();
            assertThat(shards).isEqualTo(4);
        }
    }
}
