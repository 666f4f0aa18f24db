package io.delayqueue.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;

class ServerAddressTests {

    @Test
    void eachTopologyIsNamedByItsAddressesAlone() {
        RedisStandaloneConfiguration standalone = new RedisStandaloneConfiguration("redis.example", 6380);
        standalone.setUsername("user");
        standalone.setPassword("secret");
        RedisStaticMasterReplicaConfiguration list = new RedisStaticMasterReplicaConfiguration("a", 1);
        list.addNode("b", 2);

        assertThat(ServerAddress.of(standalone)).isEqualTo("Redis at redis.example:6380");
        assertThat(ServerAddress.of(list)).isEqualTo("Redis at a:1, b:2");
        assertThat(ServerAddress.of(new RedisSocketConfiguration("/run/redis"))).isEqualTo("Redis at /run/redis");
        assertThat(ServerAddress.of(new RedisSentinelConfiguration("main", Set.of("b:2", "a:1"))))
                .isEqualTo("Redis master 'main' (Sentinels a:1, b:2)");
        assertThat(ServerAddress.of(new RedisClusterConfiguration(Set.of("b:2", "a:1"))))
                .isEqualTo("Redis Cluster of a:1, b:2");
    }
}
