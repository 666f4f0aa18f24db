package io.delayqueue.test.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.delayqueue.test.redis.RedisServerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clusters with settings of a single test. */
@Timeout(120)
class RedisClusterBuilderTests {

    @Test
    void restartedClusterWithAppendOnlyLosesNothing() {
        try (RedisClusterProcess own = RedisClusterProcess.builder()
                .masters(1)
                .replicasPerMaster(0)
                .nodeTimeout(Duration.ofSeconds(1))
                .appendOnly()
                .start()) {
            RedisServerProcess node = own.masterOf("key");
            assertThat(node.command("CONFIG", "GET", "cluster-node-timeout"))
                    .isEqualTo(List.of("cluster-node-timeout", "1000"));
            node.command("SET", "key", "value");
            own.kill(node);
            own.restart(node);
            assertThat(node.command("GET", "key")).isEqualTo("value");
        }
    }

    @Test
    void closeEndsAllProcessesAndRemovesTheirDirectories() {
        RedisClusterProcess own =
                RedisClusterProcess.builder().masters(1).replicasPerMaster(1).start();
        List<Long> pids = own.nodes().stream().map(RedisServerProcess::pid).toList();
        List<Path> directories =
                own.nodes().stream().map(RedisServerProcess::directory).toList();
        own.close();
        own.close();
        assertThat(pids)
                .hasSize(2)
                .allSatisfy((pid) -> assertThat(ProcessHandle.of(pid)).isEmpty());
        assertThat(directories).allSatisfy((directory) -> assertThat(directory).doesNotExist());
    }

    @Test
    void defaultNodeTimeoutFollowsTheReplicasOfEachStart() {
        RedisClusterBuilder builder = RedisClusterProcess.builder().masters(1);
        assertThat(nodeTimeout(builder.replicasPerMaster(0))).isEqualTo("60000");
        assertThat(nodeTimeout(builder.replicasPerMaster(1))).isEqualTo("2000");
    }

    @Test
    void failedStartLeavesNoProcess() {
        Set<Long> before = children();
        assertThatIllegalStateException()
                .isThrownBy(() -> RedisClusterProcess.builder()
                        .setting("no-such-setting", "1")
                        .start())
                .withMessageContaining("no-such-setting");
        assertThat(children()).isEqualTo(before);
    }

    private static Object nodeTimeout(RedisClusterBuilder builder) {
        try (RedisClusterProcess cluster = builder.start()) {
            return ((List<?>) cluster.nodes().get(0).command("CONFIG", "GET", "cluster-node-timeout")).get(1);
        }
    }

    private static Set<Long> children() {
        return ProcessHandle.current().children().map(ProcessHandle::pid).collect(Collectors.toSet());
    }
}
