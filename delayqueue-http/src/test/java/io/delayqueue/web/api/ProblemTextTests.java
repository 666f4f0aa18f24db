package io.delayqueue.web.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.web.api.ApiNode.Reply;
import java.util.Base64;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** A problem quotes input of the client truncated and escaped. */
class ProblemTextTests {

    private static final String CONTROLS = name("a\u0000\u001b[31m\r\nb\u0085\u202e\u2028c");
    private static final String LONG = "x".repeat(3_000);

    private final ApiNode node = ApiNode.shared();

    static Stream<String> paths() {
        return Stream.of(CONTROLS, LONG, name("\u0001".repeat(2_000)))
                .flatMap(name -> Stream.of(
                        "/topics/" + name + "/messages/" + name,
                        "/topics/t/messages/" + name,
                        "/topics/" + name + "/dead-letters/1",
                        "/topics/t/dead-letters/" + name,
                        "/topics/t/dead-letters?count=" + name,
                        "/topics/t/dead-letters?page=" + name,
                        "/topics/t/dead-letters?" + name + "=1",
                        "/" + name));
    }

    @ParameterizedTest
    @MethodSource("paths")
    void problemsTruncateAndEscapeNamesOfPaths(String path) {
        shown(node.get(path));
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void problemsTruncateAndEscapeValuesOfBodies(String body) {
        shown(node.send("t", body));
    }

    static Stream<String> bodies() {
        String controls = "\\u0000\\u001b[31m\\r\\n\\u0085\\u202e\\u2028";
        return Stream.of(controls, LONG, controls.repeat(100))
                .flatMap(text -> Stream.of(
                        "{\"payload\": 1, \"" + text + "\": 1}",
                        "{\"payload\": 1, \"delay\": \"" + text + "\"}",
                        "{\"payload\": 1, \"maxAttempts\": \"" + text + "\"}",
                        "{\"payload\": 1, \"headers\": {\"" + text + "\": 1}}",
                        "{\"payload\": 1, \"headers\": {\"a\": [\"" + text + "\"]}}",
                        "{\"payload\": 1, \"id\": \"" + text + text.repeat(50) + "\"}",
                        "{\"payload\": 1, \"a\": 1, \"a\": \"" + text + "\"}",
                        "{\"payload\": " + text + "}"));
    }

    private static void shown(Reply reply) {
        assertThat(reply.status()).isBetween(400, 499);
        for (JsonNode member : reply.json().values()) {
            assertThat(member.asString()).hasSizeLessThanOrEqualTo(620);
        }
        assertThat(reply.detail())
                .isNotBlank()
                .doesNotContainPattern("[\\p{Cntrl}\\u0080-\\u009f\\p{Cf}\\u2028\\u2029]");
    }

    private static String name(String text) {
        return "~" + Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(UTF_8));
    }
}
