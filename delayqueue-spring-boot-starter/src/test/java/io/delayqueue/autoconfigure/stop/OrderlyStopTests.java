package io.delayqueue.autoconfigure.stop;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.ShardKeys;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** An application that ends waits for its running handlers, whatever else is in it. */
@EmbeddedRedis
@ExtendWith(OutputCaptureExtension.class)
class OrderlyStopTests {

    /** What a shell would say too: 128 and the number of the signal. */
    private static final int TERMINATED = 128 + 15;

    private static final ShardKeys JOBS = new KeySpace("dq").of(Shard.single("jobs"));

    private final RedisServerProcess redis;

    OrderlyStopTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--dependents=true",
                "--dependents=true --spring.main.lazy-initialization=true",
                "--delayqueue.forward[0].topic=due --delayqueue.forward[0].to=receipts"
                        + " --delayqueue.forward[0].destination=x"
            })
    void closingWaitsForRunningHandlers(String properties, CapturedOutput output) throws InterruptedException {
        try (ConfigurableApplicationContext context = StoppingApplication.start(properties(properties))) {
            assertThat(context.getBean(StoppingApplication.Jobs.class).started.await(60, TimeUnit.SECONDS))
                    .isTrue();
        }
        assertOrderly(output.getOut());
    }

    @Tag("long")
    @Tag("core")
    @Test
    void signalWaitsForRunningHandlers() throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx200m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                StoppingApplication.class.getName()));
        command.addAll(List.of(properties("")));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            assertOrderly(terminateWhenAllRun(process, lines));
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(TERMINATED);
        } finally {
            process.destroyForcibly();
        }
    }

    /** What it says until it ends. The handle's destroy, as that of the process closes the pipe. */
    private static String terminateWhenAllRun(Process process, BufferedReader lines) throws IOException {
        StringBuilder output = new StringBuilder();
        int started = 0;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            output.append(line).append('\n');
            if (line.startsWith("started ") && ++started == StoppingApplication.HANDLERS) {
                process.toHandle().destroy();
            }
        }
        return output.toString();
    }

    private String[] properties(String more) {
        return Stream.concat(
                        Stream.of("--spring.data.redis.port=" + redis.port(), "--delayqueue-test.redis=none"),
                        Stream.of(more.split(" ")).filter(property -> !property.isEmpty()))
                .toArray(String[]::new);
    }

    private void assertOrderly(String output) {
        assertThat(output.lines().filter(line -> line.startsWith("ended ")))
                .as(output)
                .hasSize(StoppingApplication.HANDLERS)
                .noneMatch(line -> line.startsWith("ended too late"));
        assertThat(output.lines().filter(line -> line.startsWith("acknowledged ")))
                .hasSize(StoppingApplication.HANDLERS);
        assertThat(output)
                .contains("stopped what handlers use while 0 of them ran")
                .containsOnlyOnce("Listener jobs has stopped")
                .doesNotContain("was stopped while");
        assertThat(output.indexOf("Listener jobs has stopped")).isGreaterThan(output.lastIndexOf("\nended "));
        assertThat(List.of(
                        members("ZCARD", JOBS.schedule()),
                        members("ZCARD", JOBS.leases()),
                        members("HLEN", JOBS.messages()),
                        members("ZCARD", JOBS.dead())))
                .as("scheduled, leased, stored and dead messages")
                .containsExactly(0L, 0L, 0L, 0L);
    }

    /** Besides the sentinel. */
    private long members(String command, byte[] key) {
        return Math.max(0, (long) redis.command(command, new String(key, StandardCharsets.UTF_8)) - 1);
    }
}
