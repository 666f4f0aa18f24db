package io.delayqueue.test.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * No server survives the JVM that started it.
 */
@Tag("long")
@Tag("core")
@Timeout(120)
class OrphanedServerTests {

    @ParameterizedTest
    @CsvSource({"wait, 1", "pause, 1", "cluster, 2", "sentinel, 3"})
    void killedJvmLeavesNoServerAndNoDirectory(String way, int servers) throws Exception {
        OwnerJvm owner = OwnerJvm.start(way);
        assertThat(owner.servers()).hasSize(servers);
        for (Server server : owner.servers()) {
            assertThat(isAlive(server.pid())).isTrue();
        }
        owner.process().destroyForcibly().waitFor();
        awaitNothingLeftOf(owner);
    }

    @Test
    void exitedJvmLeavesNoServerAndNoDirectory() throws Exception {
        OwnerJvm owner = OwnerJvm.start("exit");
        assertThat(owner.process().waitFor()).isZero();
        awaitNothingLeftOf(owner);
    }

    @Test
    void signalsToThisProcessGroupDoNotReachTheServer() throws Exception {
        try (RedisServerProcess redis = RedisServerProcess.start()) {
            assertThat(groupOf(redis.pid()))
                    .isNotEqualTo(groupOf(ProcessHandle.current().pid()));
        }
    }

    @Test
    void processWithTheIdOfAnEndedServerIsNotKilled(@TempDir Path directory) throws Exception {
        Path launcher = directory.resolve("launcher.sh");
        try (InputStream script = RedisServerProcess.class.getResourceAsStream("launcher.sh")) {
            Files.copy(script, launcher);
        }
        Path data = Files.createDirectory(directory.resolve("data"));
        // The server "true" ends at once. Its parent does not collect it, so its id still belongs to a process.
        Process parent = new ProcessBuilder(
                        "sh",
                        "-c",
                        "exec 3<&0; sh \"$0\" detached \"$1\" true <&3 & exec sleep 60 3<&- </dev/null >/dev/null",
                        launcher.toString(),
                        data.toString())
                .start();
        try {
            await().until(() -> {
                List<ProcessHandle> children = parent.children().toList();
                return children.size() == 1 && !isAlive(children.get(0).pid());
            });
            parent.outputWriter().close();
            assertThat(parent.inputReader().read())
                    .as("end of the output of the launcher")
                    .isEqualTo(-1);
            assertThat(data).exists();
        } finally {
            parent.destroyForcibly();
        }
    }

    private static void awaitNothingLeftOf(OwnerJvm owner) {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            for (Server server : owner.servers()) {
                assertThat(isAlive(server.pid())).isFalse();
                assertThat(Files.exists(server.directory())).isFalse();
            }
        });
    }

    /**
     * A process that has ended counts as alive for Java until its parent, here the system's first process, collects it.
     */
    private static boolean isAlive(long pid) throws IOException {
        String state = ps("stat", pid);
        return !state.isEmpty() && !state.startsWith("Z");
    }

    private static String groupOf(long pid) throws IOException {
        return ps("pgid", pid);
    }

    private static String ps(String column, long pid) throws IOException {
        Process ps = new ProcessBuilder("ps", "-o", column + "=", "-p", Long.toString(pid)).start();
        return new String(ps.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).trim();
    }

    private record OwnerJvm(Process process, List<Server> servers) {

        static OwnerJvm start(String ending) throws IOException {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            ServerOwner.class.getName(),
                            ending)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
            List<Server> servers = new ArrayList<>();
            for (String line = output.readLine(); !line.isEmpty(); line = output.readLine()) {
                String[] words = line.split(" ", 2);
                servers.add(new Server(Long.parseLong(words[0]), Path.of(words[1])));
            }
            return new OwnerJvm(process, servers);
        }
    }

    private record Server(long pid, Path directory) {}
}
