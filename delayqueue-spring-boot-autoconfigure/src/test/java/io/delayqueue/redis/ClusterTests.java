package io.delayqueue.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.Lane;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.redis.SignalSource.SignalListener;
import io.delayqueue.redis.server.ServerProbe;
import io.delayqueue.test.redis.RedisServerProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Two masters, each with half the slots. */
@Timeout(60)
class ClusterTests {

    private final RedisServerProcess first =
            RedisServerProcess.builder().cluster().start();
    private final RedisServerProcess second =
            RedisServerProcess.builder().cluster().start();
    private final KeySpace keys = new KeySpace("test");
    private final Shard onFirst = new Shard("orders", 0, 2, Lane.MESSAGES);
    private final Shard onSecond = new Shard("orders", 1, 2, Lane.MESSAGES);

    enum Client {
        LETTUCE,
        JEDIS
    }

    @BeforeEach
    void meet() {
        first.command("CLUSTER", "ADDSLOTSRANGE", "0", "8191");
        second.command("CLUSTER", "ADDSLOTSRANGE", "8192", "16383");
        first.command("CLUSTER", "MEET", "127.0.0.1", String.valueOf(second.port()));
        for (RedisServerProcess node : List.of(first, second)) {
            await().until(() -> {
                String info = String.valueOf(node.command("CLUSTER", "INFO"));
                return info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:2");
            });
        }
    }

    @AfterEach
    void close() {
        first.close();
        second.close();
    }

    @ParameterizedTest
    @EnumSource
    void scriptRunsOnTheMasterOfItsSlot(Client client) throws Exception {
        try (OwnConnections own = connect(client)) {
            for (Shard shard : List.of(onFirst, onSecond)) {
                byte[] key = keys.of(shard).meta();
                assertThat(own.scripts().run(ScriptRunnerContract.INCREMENT, 1, key))
                        .containsExactly(1L);
                assertThat(own.scripts()
                                .runAsync(ScriptRunnerContract.INCREMENT, 1, key)
                                .join())
                        .containsExactly(2L);
            }
            assertThat(List.of(first.command("DBSIZE"), second.command("DBSIZE")))
                    .containsExactly(1L, 1L);
        }
    }

    @ParameterizedTest
    @EnumSource
    void probeAsksTheMasterOfTheTopics(Client client) throws Exception {
        RedisServerProcess ofTopics = KeySpace.slot(keys.topics()) < 8192 ? first : second;
        ofTopics.command("CONFIG", "SET", "maxmemory-policy", "allkeys-random");
        try (OwnConnections own = connect(client)) {
            ServerProbe probe = new ServerProbe(own.scripts(), keys, InstantSource.system(), System::nanoTime);
            assertThat(probe.ask().evictionPolicy()).isEqualTo("allkeys-random");
            assertThat(probe.askAsync().join().evictionPolicy()).isEqualTo("allkeys-random");
        }
    }

    @ParameterizedTest
    @EnumSource
    void signalsOfEachMasterAreHeard(Client client) throws Exception {
        Set<Long> heard = ConcurrentHashMap.newKeySet();
        try (OwnConnections own = connect(client);
                RedisSignals signals = new RedisSignals(
                        own.connections(), keys, own.executor(), "node", Duration.ofSeconds(1), System::nanoTime)) {
            signals.listen(onFirst, new SignalListener() {
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
            });
            signals.start();
            await().until(() -> heard.contains(0L));

            String lane = new String(keys.of(onFirst).signal(), StandardCharsets.UTF_8);
            first.command("PUBLISH", keys.signalChannel(), "h " + lane + " 1");
            second.command("PUBLISH", keys.signalChannel(), "h " + lane + " 2");

            await().until(() -> heard.containsAll(Set.of(1L, 2L)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void silentMasterDoesNotHoldUpTheOther(Client client) throws Exception {
        try (OwnConnections own = connect(client)) {
            Map<Shard, byte[]> meta = Map.of(
                    onFirst,
                    keys.of(onFirst).meta(),
                    onSecond,
                    keys.of(onSecond).meta());
            meta.values().forEach(key -> own.scripts().run(ScriptRunnerContract.INCREMENT, 1, key));
            second.pause();

            for (int i = 0; i < 4; i++) {
                assertThat(catchThrowableOfType(
                                        RedisCallException.class,
                                        () -> own.scripts().run(ScriptRunnerContract.INCREMENT, 1, meta.get(onSecond)))
                                .kind())
                        .isEqualTo(Kind.UNKNOWN);
                assertThat(own.scripts().run(ScriptRunnerContract.INCREMENT, 1, meta.get(onFirst)))
                        .hasSize(1);
            }

            second.resume();
            await().ignoreExceptions()
                    .until(() -> !own.scripts()
                            .run(ScriptRunnerContract.INCREMENT, 1, meta.get(onSecond))
                            .isEmpty());
        }
    }

    private OwnConnections connect(Client client) {
        RedisClusterConfiguration cluster = new RedisClusterConfiguration().clusterNode("127.0.0.1", first.port());
        return OwnConnections.of(
                client == Client.LETTUCE ? new LettuceConnectionFactory(cluster) : new JedisConnectionFactory(cluster),
                OwnConnections.TIMEOUT);
    }
}
