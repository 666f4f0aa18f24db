package io.delayqueue.test.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.RedisServerProcess;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

@Tag("long")
@Tag("core")
@Timeout(120)
class ProxiedClusterTests {

    private static final RedisScript<Long> INCREMENT = RedisScript.of("return redis.call('incr', KEYS[1])", Long.class);

    private static RedisClusterProcess cluster;

    @BeforeAll
    static void startCluster() {
        cluster = RedisClusterProcess.builder().proxied().start();
    }

    @AfterEach
    void repair() {
        cluster.nodes().forEach((node) -> cluster.proxyOf(node).pass());
        cluster.nodes().stream().filter((node) -> !node.isRunning()).forEach(cluster::restart);
        cluster.awaitOk();
        cluster.flush();
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @Test
    void nodesAnnounceTheirProxies() {
        List<String> proxies = cluster.nodes().stream()
                .map((node) -> "127.0.0.1:" + cluster.proxyOf(node).port())
                .toList();
        assertThat(cluster.addresses()).isEqualTo(proxies);
        for (RedisServerProcess node : cluster.nodes()) {
            String known = String.valueOf(node.command("CLUSTER", "NODES"));
            assertThat(known.lines().map((line) -> line.replaceFirst("\\S+ (\\S+)@.*", "$1")))
                    .containsExactlyInAnyOrderElementsOf(proxies);
        }
    }

    @Test
    void cutMasterIsUnavailableToClientsOnly() {
        withClient((redis) -> {
            RedisServerProcess master = cluster.masterOf("key");
            String elsewhere = keyNotOn(master);
            assertThat(redis.execute(INCREMENT, List.of("key"))).isEqualTo(1);

            cluster.proxyOf(master).cut();

            assertThatException().isThrownBy(() -> redis.execute(INCREMENT, List.of("key")));
            assertThat(redis.execute(INCREMENT, List.of(elsewhere))).isEqualTo(1);
            cluster.awaitOk();
            assertThat(cluster.masterOf("key")).isSameAs(master);
            assertThat(cluster.replicasOf(master)).hasSize(1);
        });
    }

    @Test
    void lostRepliesOfOneMasterDoNotAffectTheOthers() {
        withClient((redis) -> {
            RedisServerProcess master = cluster.masterOf("key");
            String elsewhere = keyNotOn(master);
            redis.execute(INCREMENT, List.of("key"));

            cluster.proxyOf(master).blackHole(Direction.SERVER_TO_CLIENT);

            assertThatException().isThrownBy(() -> redis.execute(INCREMENT, List.of("key")));
            assertThat(redis.execute(INCREMENT, List.of(elsewhere))).isEqualTo(1);
            assertThat(master.command("GET", "key")).isEqualTo("2");
        });
    }

    @Test
    void restartedNodeKeepsItsProxy() {
        RedisServerProcess master = cluster.masterOf("key");
        cluster.kill(master);
        cluster.awaitOk();
        RedisServerProcess promoted = cluster.masterOf("key");
        cluster.restart(master);
        cluster.awaitOk();
        assertThat(cluster.replicasOf(promoted)).containsExactly(master);
        nodesAnnounceTheirProxies();
    }

    @Test
    void slotIsMovedWithoutTheProxies() {
        RedisServerProcess from = cluster.masterOf("key");
        RedisServerProcess to = cluster.masterOf(keyNotOn(from));
        from.command("SET", "key", "value");
        cluster.nodes().forEach((node) -> cluster.proxyOf(node).cut());
        cluster.moveSlot(RedisClusterProcess.slotOf("key"), from, to).finish();
        assertThat(to.command("GET", "key")).isEqualTo("value");
    }

    @Test
    void clusterWithoutProxiesRejectsProxyOf() {
        try (RedisClusterProcess plain =
                RedisClusterProcess.builder().masters(1).replicasPerMaster(0).start()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> plain.proxyOf(plain.nodes().get(0)))
                    .withMessageContaining("proxied()");
        }
    }

    private static String keyNotOn(RedisServerProcess master) {
        return List.of("a", "b", "c", "d", "e", "f").stream()
                .filter((key) -> cluster.masterOf(key) != master)
                .findFirst()
                .orElseThrow();
    }

    private static void withClient(Consumer<StringRedisTemplate> test) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
                .withPropertyValues(
                        "spring.data.redis.timeout=2s",
                        "spring.data.redis.cluster.nodes=" + String.join(",", cluster.addresses()))
                .run((context) -> test.accept(context.getBean(StringRedisTemplate.class)));
    }
}
