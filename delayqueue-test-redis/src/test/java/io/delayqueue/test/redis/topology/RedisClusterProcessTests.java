package io.delayqueue.test.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.delayqueue.test.redis.RedisErrorException;
import io.delayqueue.test.redis.RedisServerProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("long")
@Tag("core")
@Timeout(120)
class RedisClusterProcessTests {

    private static RedisClusterProcess cluster;

    @BeforeAll
    static void startCluster() {
        cluster = RedisClusterProcess.start();
    }

    @AfterEach
    void repair() {
        cluster.nodes().stream().filter((node) -> !node.isRunning()).forEach(cluster::restart);
        cluster.awaitOk();
        cluster.flush();
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @Test
    void slotsAreSharedByThreeMastersWithAReplicaEach() {
        List<RedisServerProcess> masters = cluster.nodes().subList(0, 3);
        assertThat(cluster.nodes())
                .hasSize(6)
                .allSatisfy((node) -> assertThat(node.port()).isBetween(1024, 55_535));
        assertThat(cluster.masters()).hasSize(3);
        assertThat(masters).allSatisfy((node) -> assertThat(cluster.nodes()).contains(node));
        assertThat(cluster.addresses())
                .hasSize(6)
                .startsWith("127.0.0.1:" + masters.get(0).port());
        for (RedisServerProcess master : cluster.masters()) {
            assertThat(cluster.replicasOf(master)).singleElement().satisfies((replica) -> {
                assertThat(replica.info("replication")).containsEntry("master_link_status", "up");
                assertThat(cluster.replicasOf(replica)).isEmpty();
            });
        }
        assertThat(Set.of(cluster.masterOf(0), cluster.masterOf(8_000), cluster.masterOf(16_383)))
                .hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "key", "123456789", "dq:{orders:0.0}:meta", "{}a", "a{b}{c}", "{{a}}", "}{a}", "kéy{"})
    void slotOfAKeyMatchesRedis(String key) {
        int slot = RedisClusterProcess.slotOf(key);
        assertThat(cluster.nodes().get(0).command("CLUSTER", "KEYSLOT", key)).isEqualTo((long) slot);
        assertThat(cluster.masterOf(key))
                .isSameAs(cluster.masterOf(slot))
                .isSameAs(cluster.masterOf(key.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void killedMasterIsReplacedAndRestartsAsReplica() {
        RedisServerProcess master = cluster.masterOf("key");
        RedisServerProcess replica = cluster.replicasOf(master).get(0);
        master.command("SET", "key", "value");
        await().until(() -> replica.command("DBSIZE").equals(1L));
        int port = master.port();

        cluster.kill(master);
        assertThatIllegalStateException()
                .isThrownBy(() -> cluster.masterOf("key"))
                .withMessageContaining("node %d, does not run", port);
        cluster.awaitOk();

        assertThat(cluster.masterOf("key")).isSameAs(replica);
        assertThat(replica.command("GET", "key")).isEqualTo("value");
        assertThat(cluster.replicasOf(replica)).isEmpty();

        cluster.restart(master);
        assertThat(master.port()).isEqualTo(port);
        assertThat(cluster.replicasOf(replica)).containsExactly(master);
        assertThat(master.command("DBSIZE")).isEqualTo(1L);
    }

    @Test
    void restartedReplicaReceivesMissedWrites() {
        RedisServerProcess master = cluster.masterOf("key");
        RedisServerProcess replica = cluster.replicasOf(master).get(0);
        cluster.kill(replica);
        assertThat(cluster.replicasOf(master)).isEmpty();
        master.command("SET", "key", "value");
        cluster.restart(replica);
        assertThat(cluster.replicasOf(master)).containsExactly(replica);
        assertThat(replica.command("DBSIZE")).isEqualTo(1L);
    }

    @Test
    void pausedMasterIsReplacedAndResumesAsReplica() {
        RedisServerProcess master = cluster.masterOf("key");
        RedisServerProcess replica = cluster.replicasOf(master).get(0);
        master.pause();
        try {
            await().atMost(Duration.ofSeconds(60)).until(() -> cluster.masterOf("key") == replica);
        } finally {
            master.resume();
        }
        cluster.awaitOk();
        assertThat(cluster.masterOf("key")).isSameAs(replica);
        assertThat(cluster.replicasOf(replica)).containsExactly(master);
    }

    @Test
    void slotIsMovedInSteps() {
        RedisServerProcess from = cluster.masterOf("{tag}");
        RedisServerProcess to = cluster.masters().stream()
                .filter((candidate) -> candidate != from)
                .findFirst()
                .orElseThrow();
        for (int i = 0; i < 5; i++) {
            from.command("SET", "{tag}" + i, "value");
        }

        SlotMove move = cluster.moveSlot(RedisClusterProcess.slotOf("{tag}"), from, to);
        assertThat(move.remaining()).isEqualTo(5);
        assertThat(from.command("GET", "{tag}1")).isEqualTo("value");
        assertRefused("ASK", from, "GET", "{tag}none");
        assertThat(cluster.masterOf("{tag}")).isSameAs(from);

        move.moveKeys("{tag}1", "{tag}none");
        assertThat(move.moveSomeKeys(2)).isEqualTo(2);
        assertThat(move.remaining()).isEqualTo(2);
        assertRefused("ASK", from, "GET", "{tag}1");
        assertRefused("TRYAGAIN", from, "DEL", "{tag}0", "{tag}1", "{tag}2", "{tag}3", "{tag}4");
        assertRefused("MOVED", to, "GET", "{tag}1");

        move.finish();
        assertThat(cluster.masterOf("{tag}")).isSameAs(to);
        assertRefused("MOVED", from, "GET", "{tag}1");
        assertThat(IntStream.range(0, 5).mapToObj((i) -> to.command("GET", "{tag}" + i)))
                .containsOnly("value");
        cluster.awaitOk();
    }

    @Test
    void invalidNumbersOfNodesAreRejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisClusterProcess.builder().masters(0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisClusterProcess.builder().replicasPerMaster(-1));
        try (RedisServerProcess stranger = RedisServerProcess.start()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> cluster.kill(stranger))
                    .withMessageContaining("is no node of this cluster");
            assertThat(stranger.isRunning()).isTrue();
        }
    }

    private static void assertRefused(String code, RedisServerProcess node, String... command) {
        assertThatExceptionOfType(RedisErrorException.class)
                .isThrownBy(() -> node.command(command))
                .satisfies((error) -> assertThat(error.code()).isEqualTo(code));
    }
}
