package io.delayqueue.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource.SignalListener;
import io.delayqueue.test.redis.RedisServerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A master, its replica and a Sentinel. */
@Timeout(60)
class SentinelTests {

    private final RedisServerProcess master = RedisServerProcess.start();
    private final RedisServerProcess replica = RedisServerProcess.builder()
            .setting("replicaof", "127.0.0.1", String.valueOf(master.port()))
            .start();
    private final RedisServerProcess sentinel = sentinel();
    private final KeySpace keys = new KeySpace("test");
    private final Shard shard = Shard.single("orders");

    enum Client {
        LETTUCE,
        JEDIS
    }

    @BeforeEach
    void followed() {
        await().until(() -> "up".equals(replica.info("replication").get("master_link_status")));
        await().until(() -> String.valueOf(sentinel.command("SENTINEL", "REPLICAS", "main"))
                .contains(String.valueOf(replica.port())));
    }

    @AfterEach
    void close() {
        sentinel.close();
        replica.close();
        master.close();
    }

    @ParameterizedTest
    @EnumSource
    void failoverIsFollowedByScriptsAndSignals(Client client) throws Exception {
        Set<Long> heard = ConcurrentHashMap.newKeySet();
        byte[] key = keys.of(shard).meta();
        try (OwnConnections own = connect(client);
                RedisSignals signals = new RedisSignals(
                        own.connections(), keys, own.executor(), "node", Duration.ofSeconds(1), System::nanoTime)) {
            signals.listen(shard, new HeadListener(heard));
            signals.start();
            await().until(() -> heard.remove(0L));
            assertThat(own.scripts().run(ScriptRunnerContract.INCREMENT, 1, key))
                    .containsExactly(1L);
            await().until(() -> replica.command("DBSIZE").equals(1L));

            master.kill();

            await().atMost(Duration.ofSeconds(30))
                    .until(() -> "master".equals(replica.info("replication").get("role")));
            await().atMost(Duration.ofSeconds(15))
                    .ignoreExceptions()
                    .until(() -> !own.scripts()
                            .run(ScriptRunnerContract.INCREMENT, 1, key)
                            .isEmpty());
            await().atMost(Duration.ofSeconds(15)).until(() -> heard.contains(0L));
            String lane = new String(keys.of(shard).signal(), StandardCharsets.UTF_8);
            await().until(() -> {
                replica.command("PUBLISH", keys.signalChannel(), "h " + lane + " 7");
                return heard.contains(7L);
            });
        }
    }

    private OwnConnections connect(Client client) {
        RedisSentinelConfiguration sentinels =
                new RedisSentinelConfiguration().master("main").sentinel("127.0.0.1", sentinel.port());
        return OwnConnections.of(
                client == Client.LETTUCE
                        ? new LettuceConnectionFactory(sentinels)
                        : new JedisConnectionFactory(sentinels),
                OwnConnections.TIMEOUT);
    }

    /** The same executable, which by that name is a Sentinel. */
    private RedisServerProcess sentinel() {
        try {
            Path executable = Files.createSymbolicLink(
                    master.directory().resolve("redis-sentinel"),
                    master.directory().resolve("redis-server"));
            return RedisServerProcess.builder()
                    .executable(executable)
                    .setting("sentinel monitor", "main", "127.0.0.1", String.valueOf(master.port()), "1")
                    .setting("sentinel down-after-milliseconds", "main", "500")
                    .setting("sentinel failover-timeout", "main", "3000")
                    .start();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private record HeadListener(Set<Long> heard) implements SignalListener {

        @Override
        public void headAt(long dueMillis) {
            heard.add(dueMillis);
        }

        @Override
        public void surplus(String consumer) {}

        @Override
        public void resubscribed() {
            heard.add(0L);
        }
    }
}
