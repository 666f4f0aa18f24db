package io.delayqueue.test.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.delayqueue.test.redis.RedisServerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("long")
@Tag("core")
@Timeout(120)
class RedisSentinelProcessTests {

    private static RedisSentinelProcess redis;

    @BeforeAll
    static void startAll() {
        // Long enough to prevent failovers on a machine that is slowed down by other tests.
        redis = RedisSentinelProcess.builder().downAfter(Duration.ofSeconds(4)).start();
    }

    @AfterEach
    void repair() {
        processes(redis).filter((process) -> !process.isRunning()).forEach(redis::restart);
        redis.awaitOk();
        redis.master().flush();
    }

    @AfterAll
    static void stopAll() {
        redis.close();
    }

    @Test
    void sentinelsReportTheMasterOfTwoReplicas() {
        RedisServerProcess master = redis.master();
        assertThat(redis.servers()).hasSize(3).contains(master);
        assertThat(master.info("replication")).containsEntry("role", "master");
        assertThat(redis.replicas()).hasSize(2).doesNotContain(master);
        assertThat(redis.sentinels()).hasSize(3);
        assertThat(redis.addresses())
                .hasSize(3)
                .startsWith("127.0.0.1:" + redis.sentinels().get(0).port());
        assertThat(redis.sentinels().get(0).command("SENTINEL", "CKQUORUM", RedisSentinelProcess.MASTER_NAME))
                .asString()
                .startsWith("OK 3 usable Sentinels");
    }

    @Test
    void killedMasterIsReplacedAndRestartsAsReplica() {
        RedisServerProcess first = redis.master();
        first.command("SET", "key", "value");
        await().until(() -> redis.replicas().stream()
                .allMatch((replica) -> replica.command("DBSIZE").equals(1L)));

        assertThat(redis.killMaster()).isSameAs(first);
        RedisServerProcess second = redis.awaitNewMaster();

        assertThat(second).isNotSameAs(first).isSameAs(redis.master());
        assertThat(second.command("GET", "key")).isEqualTo("value");
        assertThat(second.command("SET", "key", "other")).isEqualTo("OK");
        redis.awaitOk();
        assertThat(redis.replicas()).hasSize(1);

        redis.restart(first);
        assertThat(redis.master()).isSameAs(second);
        assertThat(redis.replicas()).hasSize(2).contains(first);
        assertThat(first.command("GET", "key")).isEqualTo("other");
    }

    @Test
    void killedReplicaAndKilledSentinelCanBeRestarted() {
        RedisServerProcess replica = redis.replicas().get(0);
        RedisServerProcess sentinel = redis.sentinels().get(0);
        replica.kill();
        sentinel.kill();
        redis.master().command("SET", "key", "value");
        redis.awaitOk();
        redis.restart(replica);
        redis.restart(sentinel);
        assertThat(replica.command("GET", "key")).isEqualTo("value");
        assertThat(redis.replicas()).contains(replica);
    }

    @Test
    void noServerIsPromotedWhileItReturnsWithoutData() throws InterruptedException {
        // Long enough for a slow machine to begin the restart before the paused master is considered down.
        Duration downAfter = Duration.ofSeconds(2);
        try (RedisSentinelProcess own =
                RedisSentinelProcess.builder().replicas(1).downAfter(downAfter).start()) {
            RedisServerProcess first = own.master();
            first.command("SET", "key", "value");
            assertThat(first.command("WAIT", "1", "0")).isEqualTo(1L);
            first.kill();
            RedisServerProcess second = own.awaitNewMaster();

            Thread restart = new Thread(() -> own.restart(first));
            second.pause();
            restart.start();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> own.sentinels().stream()
                            .allMatch((sentinel) -> silenceOfMaster(sentinel) > 3 * downAfter.toMillis()));
            assertThat(own.sentinels())
                    .allMatch((sentinel) -> MonitoredMaster.by(sentinel).isHealthy());
            second.resume();
            restart.join();

            own.awaitOk();
            assertThat(own.master()).isSameAs(second);
            assertThat(first.command("GET", "key")).isEqualTo("value");
            second.kill();
            assertThat(own.awaitNewMaster()).isSameAs(first);
        }
    }

    private static long silenceOfMaster(RedisServerProcess sentinel) {
        List<?> master = (List<?>) sentinel.command("SENTINEL", "MASTER", RedisSentinelProcess.MASTER_NAME);
        return Long.parseLong(String.valueOf(master.get(master.indexOf("last-ok-ping-reply") + 1)));
    }

    @Test
    void closeEndsAllProcessesAndRemovesTheirDirectories() {
        RedisSentinelProcess own = RedisSentinelProcess.builder()
                .replicas(1)
                .downAfter(Duration.ofMillis(500))
                .failoverTimeout(Duration.ofSeconds(2))
                .appendOnly()
                .start();
        List<Long> pids = processes(own).map(RedisServerProcess::pid).toList();
        List<Path> directories =
                processes(own).map(RedisServerProcess::directory).toList();
        assertThat(own.master().command("CONFIG", "GET", "appendonly")).isEqualTo(List.of("appendonly", "yes"));
        own.close();
        own.close();
        assertThat(pids)
                .hasSize(5)
                .allSatisfy((pid) -> assertThat(ProcessHandle.of(pid)).isEmpty());
        assertThat(directories).allSatisfy((directory) -> assertThat(directory).doesNotExist());
        assertThatIllegalStateException().isThrownBy(own::master).withMessage("No Sentinel replies");
    }

    @Test
    void failedStartLeavesNoProcess() {
        Set<Long> before = RedisClusterBuilderTests.children();
        assertThatIllegalStateException()
                .isThrownBy(() -> RedisSentinelProcess.builder()
                        .failoverTimeout(Duration.ZERO)
                        .start())
                .withMessageContaining("failover-timeout");
        assertThat(RedisClusterBuilderTests.children()).isEqualTo(before);
    }

    @Test
    void invalidSettingsAreRejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisSentinelProcess.builder().replicas(0));
        try (RedisServerProcess stranger = RedisServerProcess.start()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> redis.restart(stranger))
                    .withMessageContaining("is none of these");
            assertThat(stranger.isRunning()).isTrue();
        }
    }

    private static Stream<RedisServerProcess> processes(RedisSentinelProcess all) {
        return Stream.concat(all.servers().stream(), all.sentinels().stream());
    }
}
