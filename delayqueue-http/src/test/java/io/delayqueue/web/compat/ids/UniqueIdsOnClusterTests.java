package io.delayqueue.web.compat.ids;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.test.redis.topology.RedisClusterProcess;
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

/** On three masters, with index and topics on different ones. */
@Tag("long")
@Tag("http")
class UniqueIdsOnClusterTests extends UniqueIdsContract {

    private static RedisClusterProcess cluster;
    private static IdsOnRedis redis;

    @BeforeAll
    static void form() {
        cluster = RedisClusterProcess.builder().replicasPerMaster(0).start();
        redis = new IdsOnRedis(new LettuceConnectionFactory(new RedisClusterConfiguration(cluster.addresses())));
    }

    @AfterAll
    static void end() {
        redis.close();
        cluster.close();
    }

    @BeforeEach
    void flush() {
        cluster.flush();
    }

    @Override
    IdsOnRedis redis() {
        return redis;
    }

    @Override
    Set<String> keys() {
        Set<String> keys = new HashSet<>();
        cluster.masters().forEach(master -> keys.addAll(keys(master)));
        return keys;
    }

    private static Set<String> keys(RedisServerProcess server) {
        Set<String> keys = new HashSet<>();
        ((List<?>) server.command("KEYS", "dq:{ids.*")).forEach(key -> keys.add(String.valueOf(key)));
        return keys;
    }

    @Test
    void indexIsOnAllMasters() {
        for (int i = 0; i < 200; i++) {
            redis.process().push("a", "m" + i, "x");
        }
        for (RedisServerProcess master : cluster.masters()) {
            assertThat(keys(master)).hasSizeGreaterThan(20);
        }
    }
}
