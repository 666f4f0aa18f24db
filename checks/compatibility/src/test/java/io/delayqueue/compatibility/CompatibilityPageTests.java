package io.delayqueue.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.delayqueue.test.redis.RedisServerBuilder;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** {@code docs/compatibility.md} claims what the matrix tests, and no more. */
class CompatibilityPageTests {

    private static final String CELLS =
            " %1$s of %1$s |".formatted(numberOfTests()).repeat(Access.values().length);

    @Test
    void eachRowHasTheNumberOfTestsOfTheMatrix() {
        assertThat(rows())
                .hasSizeGreaterThan(4)
                .allSatisfy(row -> assertThat(row)
                        .matches("\\| (Redis|Valkey) \\d+\\.\\d+ \\|" + CELLS.replace("|", "\\|")
                                + " [\\d,]+ of [\\d,]+ \\|"));
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, architectures = "amd64")
    @DisabledIfSystemProperty(named = RedisServerBuilder.EXECUTABLE_PROPERTY, matches = ".+")
    void serversOfArtifactsHaveRows() {
        assumeThat(TestServer.redis6()).isPresent();

        assertThat(rows().subList(0, 2))
                .zipSatisfy(
                        Stream.of(TestServer.redis6().orElseThrow(), TestServer.embedded())
                                .map(CompatibilityPageTests::version)
                                .toList(),
                        (row, version) -> assertThat(row).startsWith("| Redis " + version + " |"));
    }

    private static List<String> rows() {
        return Documented.part("matrix").stream().skip(2).toList();
    }

    private static long numberOfTests() {
        return Stream.of(CompatibilityTests.class.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .count();
    }

    private static String version(TestServer server) {
        try (RunningRedis redis = Access.PLAIN.start(server)) {
            return redis.node().info("server").get("redis_version").replaceFirst("\\.\\d+$", "");
        }
    }
}
