package io.delayqueue.test.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.delayqueue.test.redis.RedisServerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clusters with settings of a single test. */
@Tag("long")
@Tag("core")
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

    /** Checks two rules with one cluster, because its start takes two seconds. The first start fails at once. */
    @Test
    void usedBuilderHasTheDefaultsOfTheNextClusterWhoseCloseEndsAllProcesses() {
        RedisClusterBuilder builder = RedisClusterProcess.builder().masters(1).replicasPerMaster(0);
        assertThatIllegalStateException()
                .isThrownBy(() -> builder.setting("maxmemory", "invalid").start());
        RedisClusterProcess own =
                builder.setting("maxmemory", "0").replicasPerMaster(1).start();
        assertThat(own.masterOf("key").command("CONFIG", "GET", "cluster-node-timeout"))
                .isEqualTo(List.of("cluster-node-timeout", "2000"));
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
    void failedStartLeavesNoProcess() {
        Set<Long> before = children();
        assertThatIllegalStateException()
                .isThrownBy(() -> RedisClusterProcess.builder()
                        .setting("no-such-setting", "1")
                        .start())
                .withMessageContaining("no-such-setting");
        assertThat(children()).isEqualTo(before);
    }

    static Set<Long> children() {
        return ProcessHandle.current().children().map(ProcessHandle::pid).collect(Collectors.toSet());
    }
}
