package io.delayqueue.actuate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofHours;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.actuate.EndpointNode.Reply;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;

/** The endpoint on a servlet stack, with all views and actions, and their description in docs/dashboard.md. */
class ServletEndpointTests extends EndpointContract {

    private static final Pattern ROW = Pattern.compile("\\| `/([a-z-]+)` \\| ([^|]*) \\|.*");

    private static final Pattern READ =
            Pattern.compile("curl (?:-G )?localhost:8080/actuator/delayqueue(?:/([a-z]+))?((?: -d \\S+)*)");

    private static final Pattern WRITE = Pattern.compile(
            "curl -H 'Content-Type: (application/json)' -d '(.*)' localhost:8080/actuator/delayqueue/(\\S+)");

    ServletEndpointTests() {
        super(WebApplicationType.SERVLET);
    }

    @Nested
    class Operations extends EndpointOperationCases {

        @BeforeAll
        void useTheNode() {
            node = ServletEndpointTests.this.node;
        }
    }

    @Nested
    class Rejections extends EndpointRejectionCases {

        @BeforeAll
        void useTheNode() {
            node = ServletEndpointTests.this.node;
        }
    }

    @Test
    void thePageNamesEachView() throws IOException {
        assertThat(table("views")).isEqualTo(rows(Operation.VIEWS));
    }

    @Test
    void thePageNamesEachAction() throws IOException {
        assertThat(table("actions")).isEqualTo(rows(Operation.ACTIONS));
    }

    @Test
    void examplesOfThePageWork() throws IOException {
        node.send("order-cancel", "4711", "text", ofHours(1));
        List<String> examples = page().lines()
                .filter(line -> line.startsWith("curl ") && line.contains("/actuator/"))
                .toList();

        assertThat(examples).hasSize(6).allSatisfy(example -> {
            Matcher read = READ.matcher(example);
            Matcher write = WRITE.matcher(example);
            assertThat(read.matches() || write.matches()).isTrue();
            Reply reply = read.matches()
                    ? node.request(
                            "GET",
                            (read.group(1) == null ? "" : "/" + read.group(1)) + "?"
                                    + read.group(2).strip().replace("-d ", "").replace(' ', '&'),
                            BodyPublishers.noBody())
                    : node.post(write.group(3), write.group(1), write.group(2));
            assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        });
    }

    private static List<String> rows(Set<Operation> operations) {
        return operations.stream()
                .map(operation -> operation.path() + " "
                        + operation.parameters().stream()
                                .map(it -> "`" + it + "`")
                                .collect(Collectors.joining(", ")))
                .toList();
    }

    private static List<String> table(String name) throws IOException {
        String page = page();
        return page.substring(page.indexOf("<!-- " + name + ":"), page.indexOf("<!-- end of " + name + " -->"))
                .lines()
                .map(ROW::matcher)
                .filter(Matcher::matches)
                .map(row -> row.group(1) + " " + row.group(2))
                .toList();
    }

    private static String page() throws IOException {
        return Files.readString(Path.of("..", "docs", "dashboard.md"), UTF_8);
    }
}
