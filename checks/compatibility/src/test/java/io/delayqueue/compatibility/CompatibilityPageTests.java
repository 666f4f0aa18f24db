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

    @Test
    @EnabledOnOs(value = OS.LINUX, architectures = "amd64")
    @DisabledIfSystemProperty(named = RedisServerBuilder.EXECUTABLE_PROPERTY, matches = ".+")
    void tableHasTheCellsOfTheMatrix() {
        assumeThat(TestServer.redis6()).isPresent();
        List<String> tested = Stream.of(TestServer.redis6().orElseThrow(), TestServer.embedded())
                .map(server -> "| " + version(server) + " |" + " tested |".repeat(Access.values().length))
                .toList();

        assertThat(Documented.part("matrix").stream().skip(2)).containsExactlyElementsOf(tested);
    }

    private static String version(TestServer server) {
        try (RunningRedis redis = Access.PLAIN.start(server)) {
            return "Redis " + redis.node().info("server").get("redis_version");
        }
    }
}
