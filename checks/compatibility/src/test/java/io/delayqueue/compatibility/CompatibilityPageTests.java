package io.delayqueue.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.delayqueue.test.redis.RedisServerBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
                .flatMap(server -> Stream.of(Combination.Client.values())
                        .map(client -> "| " + version(server) + " | " + client.property() + " |"
                                + " tested |".repeat(Access.values().length)))
                .toList();

        assertThat(Documented.part("matrix").stream().skip(2)).containsExactlyElementsOf(tested);
    }

    /** The page has it as text, because it is Java of an application. */
    @Test
    void hostNameVerificationOfJedisIsThatOfTheTest() throws IOException {
        String test = Files.readString(Path.of("src/test/java/io/delayqueue/compatibility/TlsTests.java"));
        String documented = String.join("\n", Documented.part("jedis-host-name"))
                .replace("```java", "")
                .replace("```", "")
                .strip();

        assertThat(test.replaceAll("\\s+", " ")).contains(documented.replaceAll("\\s+", " "));
    }

    private static String version(TestServer server) {
        try (RunningRedis redis = Access.PLAIN.start(server)) {
            return "Redis " + redis.node().info("server").get("redis_version");
        }
    }
}
