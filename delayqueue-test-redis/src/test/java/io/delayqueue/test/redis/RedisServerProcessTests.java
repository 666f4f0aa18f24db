package io.delayqueue.test.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RedisServerProcessTests {

    @Test
    void portLeavesRoomForTheClusterBus() {
        try (RedisServerProcess redis = RedisServerProcess.start()) {
            assertThat(redis.port()).isBetween(1024, 55_535);
            assertThat(redis.command("PING")).isEqualTo("PONG");
            assertThat(redis.info("server")).containsEntry("process_id", Long.toString(redis.pid()));
        }
    }

    @Test
    void repliesAreDecoded() {
        try (RedisServerProcess redis = RedisServerProcess.start()) {
            assertThat(redis.command("SET", "kéy", "two words")).isEqualTo("OK");
            assertThat(redis.command("GET", "kéy")).isEqualTo("two words");
            assertThat(redis.command("GET", "none")).isNull();
            assertThat(redis.command("STRLEN", "kéy")).isEqualTo(9L);
            assertThat(redis.command("EVAL", "return {1, 'a', {}, false}", "0"))
                    .asInstanceOf(InstanceOfAssertFactories.LIST)
                    .containsExactly(1L, "a", List.of(), null);
            assertThatExceptionOfType(RedisErrorException.class)
                    .isThrownBy(() -> redis.command("INCR", "kéy"))
                    .satisfies((error) -> assertThat(error.code()).isEqualTo("ERR"));
        }
    }

    @Test
    void closeEndsTheProcessAndRemovesItsDirectory() {
        RedisServerProcess redis = RedisServerProcess.start();
        Path directory = redis.directory();
        long pid = redis.pid();
        redis.close();
        redis.close();
        assertThat(directory).doesNotExist();
        assertThat(ProcessHandle.of(pid)).isEmpty();
        assertThatIllegalStateException().isThrownBy(redis::restart);
    }

    @Test
    void killedServerWithAppendOnlyLosesNothing() {
        try (RedisServerProcess redis =
                RedisServerProcess.builder().appendOnly().start()) {
            int port = redis.port();
            redis.command("SET", "key", "value");
            redis.kill();
            assertThat(redis.isRunning()).isFalse();
            assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> redis.command("PING"));
            redis.restart();
            assertThat(redis.port()).isEqualTo(port);
            assertThat(redis.command("GET", "key")).isEqualTo("value");
        }
    }

    @Test
    void runningServerIsStoppedBeforeItIsRestarted() {
        try (RedisServerProcess redis =
                RedisServerProcess.builder().appendOnly().start()) {
            long pid = redis.pid();
            redis.command("SET", "key", "value");
            redis.restart();
            assertThat(redis.pid()).isNotEqualTo(pid);
            assertThat(redis.command("GET", "key")).isEqualTo("value");
            assertThat(redis.log()).contains("User requested shutdown");
        }
    }

    @Test
    void serverWithoutAppendOnlyStartsEmpty() {
        try (RedisServerProcess redis = RedisServerProcess.start()) {
            redis.command("SET", "key", "value");
            redis.restart();
            assertThat(redis.command("DBSIZE")).isEqualTo(0L);
        }
    }

    @Test
    void pausedServerCanBeStopped() {
        try (RedisServerProcess redis = RedisServerProcess.start()) {
            redis.pause();
            redis.stop();
            assertThat(redis.isRunning()).isFalse();
            assertThatIllegalStateException().isThrownBy(redis::pid);
        }
    }

    @Test
    void settingsApplyToTheServer() {
        RedisServerBuilder builder = RedisServerProcess.builder()
                .maxMemory("5mb")
                .password("pa\"ss \\word")
                .setting("notify-keyspace-events", "KEA")
                .setting("client-output-buffer-limit", "pubsub", "1mb", "1mb", "60");
        try (RedisServerProcess redis = builder.start()) {
            assertThat(redis.password()).isEqualTo("pa\"ss \\word");
            assertThat(redis.command("CONFIG", "GET", "maxmemory")).isEqualTo(List.of("maxmemory", "5242880"));
            assertThat(redis.command("CONFIG", "GET", "requirepass"))
                    .isEqualTo(List.of("requirepass", "pa\"ss \\word"));
            assertThat(redis.command("CONFIG", "GET", "client-output-buffer-limit")
                            .toString())
                    .contains("pubsub 1048576 1048576 60");
        }
    }

    @Test
    void clusterNodeCanOwnAllSlots() {
        try (RedisServerProcess redis = RedisServerProcess.builder().cluster().start()) {
            redis.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
            await().untilAsserted(() ->
                    assertThat((String) redis.command("CLUSTER", "INFO")).contains("cluster_state:ok"));
            assertThat(redis.command("SET", "key", "value")).isEqualTo("OK");
        }
    }

    @Test
    void systemPropertyNamesTheExecutable(@TempDir Path directory) throws IOException {
        Path executable =
                Files.writeString(directory.resolve("other-server"), "#!/bin/sh\necho other server; exit 1\n");
        assertThat(executable.toFile().setExecutable(true)).isTrue();
        String before = System.setProperty(RedisServerBuilder.EXECUTABLE_PROPERTY, executable.toString());
        try {
            assertThatIllegalStateException()
                    .isThrownBy(RedisServerProcess::start)
                    .withMessageContaining("other server");
        } finally {
            System.clearProperty(RedisServerBuilder.EXECUTABLE_PROPERTY);
            if (before != null) {
                System.setProperty(RedisServerBuilder.EXECUTABLE_PROPERTY, before);
            }
        }
    }

    @Test
    void thereIsNoPortForTlsWithoutTls() {
        try (RedisServerProcess redis = RedisServerProcess.start()) {
            assertThatIllegalStateException().isThrownBy(redis::tlsPort).withMessageContaining("without TLS");
        }
    }

    /** The executable responds like a Redis that was built without TLS. */
    @Test
    void executableWithoutTlsIsNamed(@TempDir Path directory) throws IOException {
        Path executable = Files.writeString(directory.resolve("redis-without-tls"), """
                #!/bin/sh
                setting=$(grep -m 1 -h '^tls-' "$@")
                echo "*** FATAL CONFIG FILE ERROR (Redis 7.0.15) ***"
                echo "Reading the configuration file, at line 4"
                echo ">>> '$setting'"
                echo "Bad directive or wrong number of arguments"
                exit 1
                """);
        assertThat(executable.toFile().setExecutable(true)).isTrue();
        RedisServerBuilder builder = RedisServerProcess.builder().executable(executable);

        assertThatIllegalStateException()
                .isThrownBy(builder.tls(executable, executable, executable)::start)
                .withMessageContaining(executable + " has no support for TLS")
                .withMessageContaining(RedisServerBuilder.EXECUTABLE_PROPERTY)
                .withMessageContaining("Bad directive");
    }

    @Test
    void unknownSettingFailsTheStartWithTheLog() {
        assertThatIllegalStateException()
                .isThrownBy(() -> RedisServerProcess.builder()
                        .setting("no-such-setting", "1")
                        .start())
                .withMessageContaining("no-such-setting");
    }

    @Test
    void takenPortFailsTheStart() {
        try (RedisServerProcess redis = RedisServerProcess.start()) {
            assertThatIllegalStateException()
                    .isThrownBy(() ->
                            RedisServerProcess.builder().port(redis.port()).start())
                    .withMessageContaining("Failed listening on port " + redis.port());
            assertThat(redis.command("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void flushRemovesDataAndScripts() {
        try (RedisServerProcess redis = RedisServerProcess.start()) {
            redis.command("SET", "key", "value");
            String sha = (String) redis.command("SCRIPT", "LOAD", "return 1");
            redis.flush();
            assertThat(redis.command("DBSIZE")).isEqualTo(0L);
            assertThat(redis.command("SCRIPT", "EXISTS", sha)).isEqualTo(List.of(0L));
        }
    }
}
