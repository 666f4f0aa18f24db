package io.delayqueue.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.Shard;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.test.redis.topology.RedisSentinelProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A master, its replicas and Sentinels. */
@Timeout(60)
@Tag("long")
@Tag("core")
class SentinelTests {

    private final RedisSentinelProcess redis = RedisSentinelProcess.start();
    private final KeySpace keys = new KeySpace("test");
    private final Shard shard = Shard.single("orders");

    @AfterEach
    void close() {
        redis.close();
    }

    @Test
    void failoverIsFollowedByScriptsAndSignals() throws Exception {
        Set<Long> heard = ConcurrentHashMap.newKeySet();
        byte[] key = keys.of(shard).meta();
        try (OwnConnections own = connect();
                RedisSignals signals =
                        new RedisSignals(own.connections(), keys, "node", Duration.ofSeconds(1), System::nanoTime)) {
            signals.listen(shard, new HeadListener(heard));
            signals.start();
            await().until(() -> heard.remove(0L));
            assertThat(Await.call(() -> own.scripts().run(new ScriptCall(RedisScriptsTests.INCREMENT, key))))
                    .containsExactly(1L);
            await().until(() -> redis.replicas().stream()
                    .allMatch(replica -> replica.command("DBSIZE").equals(1L)));

            redis.killMaster();

            RedisServerProcess master = redis.awaitNewMaster();
            await().atMost(Duration.ofSeconds(15))
                    .ignoreExceptions()
                    .until(() -> !Await.call(() -> own.scripts().run(new ScriptCall(RedisScriptsTests.INCREMENT, key)))
                            .isEmpty());
            await().atMost(Duration.ofSeconds(15)).until(() -> heard.contains(0L));
            String kind = new String(keys.of(shard).signal(), StandardCharsets.UTF_8);
            await().until(() -> {
                master.command("PUBLISH", keys.signalChannel(), "h " + kind + " 7");
                return heard.contains(7L);
            });
        }
    }

    private OwnConnections connect() {
        RedisSentinelConfiguration sentinels =
                new RedisSentinelConfiguration(RedisSentinelProcess.MASTER_NAME, Set.copyOf(redis.addresses()));
        return OwnConnections.impatient(new LettuceConnectionFactory(sentinels));
    }
}
