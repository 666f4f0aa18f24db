package io.delayqueue.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.delayqueue.testing.ForeignProgram;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * {@code promtool} checks the alert rules and evaluates them over synthetic series at ordinary scrape intervals. If it is
 * not installed, the tests are skipped, unless the environment variable {@code TEST_PROMETHEUS} is {@code required}.
 */
@Tag("long")
@Tag("drill")
class AlertRulesTests {

    private static final Path RULES = Path.of("..", "docs", "operations", "prometheus-alerts.yaml");
    private static final Path TESTS = Path.of("src/test/resources/io/delayqueue/metrics/alert-rules-tests.yaml");

    @BeforeEach
    void requirePromtool() {
        assumeTrue(ForeignProgram.isPresent("promtool", "prometheus", "TEST_PROMETHEUS"), "promtool is not installed");
    }

    private void promtool(String... arguments) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(Stream.concat(Stream.of("promtool"), Stream.of(arguments))
                        .toList())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    @Test
    void rulesAreValid() throws IOException, InterruptedException {
        promtool("check", "rules", RULES.toString());
    }

    @Test
    void alertsFireAndEnd() throws IOException, InterruptedException {
        promtool("test", "rules", TESTS.toString());
    }
}
