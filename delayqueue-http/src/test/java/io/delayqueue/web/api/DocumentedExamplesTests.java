package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.testing.ForeignProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs the examples of docs/http-api.md. */
class DocumentedExamplesTests {

    private static final Path DOCUMENT = Path.of("../docs/http-api.md");
    private static final Pattern EXAMPLE =
            Pattern.compile("```shell\n(.*?)```\n(?:```json\n(.*?)```\n)?", Pattern.DOTALL);
    private static final Pattern TYPE = Pattern.compile("(?m)^\\| `([a-z-]+)` \\| (\\d{3}) \\|");

    /** The end of each command's output, after the status. */
    private static final String END = "#end";

    @TempDir
    private Path folder;

    private record Example(String command, @Nullable String response) {}

    @Test
    @Tag("long")
    @Tag("compatibility")
    void examplesHaveTheDocumentedResults() throws IOException, InterruptedException {
        ForeignProgram.require("bash", "bash");
        ForeignProgram.require("curl", "curl");
        List<Example> examples = examples();
        StringBuilder script =
                new StringBuilder("set -e\ncurl() { command curl -sS -m 60 -w '\\n%{http_code}' \"$@\"; }\n");
        examples.forEach(example -> script.append(example.command()).append("echo; echo '" + END + "'\n"));
        String[] outputs;
        try (ApiNode node = ApiNode.start("delayqueue.listener.auto-startup=false")) {
            outputs = run(script.toString(), node).split(END + "\n");
        }

        assertThat(outputs).hasSize(examples.size());
        for (int i = 0; i < outputs.length; i++) {
            String output = outputs[i].strip();
            int line = output.lastIndexOf('\n');
            String body = line < 0 ? "" : output.substring(0, line);
            int status = Integer.parseInt(output.substring(line + 1));
            check(examples.get(i), body, status);
        }
    }

    private static void check(Example example, String body, int status) {
        if (example.response() == null) {
            assertThat(status).as(example.command()).isEqualTo(204);
            assertThat(body).isEmpty();
            return;
        }
        JsonNode shown = JsonMapper.shared().readTree(example.response());
        assertThat(status)
                .as(example.command())
                .isEqualTo(shown.path("status").asInt(isCreating(example.command()) ? 201 : 200));
        same(shown, JsonMapper.shared().readTree(body), example.command());
    }

    private static boolean isCreating(String command) {
        return command.contains("/messages -H") || command.contains("-X PUT");
    }

    private static void same(JsonNode shown, JsonNode real, String where) {
        if (shown.isString() && shown.asString().equals("…")) {
            assertThat(real.isContainer() ? real.toString() : real.asString())
                    .as(where)
                    .isNotEmpty();
        } else if (shown.isObject()) {
            assertThat(real.propertyNames()).as(where).containsExactlyElementsOf(shown.propertyNames());
            for (Map.Entry<String, JsonNode> field : shown.properties()) {
                same(field.getValue(), real.path(field.getKey()), where + field.getKey());
            }
        } else if (shown.isArray()) {
            assertThat(real).as(where).hasSameSizeAs(shown);
            for (int i = 0; i < shown.size(); i++) {
                same(shown.get(i), real.get(i), where + i);
            }
        } else {
            assertThat(real).as(where).isEqualTo(shown);
        }
    }

    private static List<Example> examples() throws IOException {
        List<Example> examples = new ArrayList<>();
        Matcher matcher = EXAMPLE.matcher(Files.readString(DOCUMENT));
        while (matcher.find()) {
            examples.add(new Example(matcher.group(1), matcher.group(2)));
        }
        assertThat(examples).hasSizeGreaterThan(8);
        return examples;
    }

    private String run(String script, ApiNode node) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        ProcessBuilder bash = new ProcessBuilder("bash", "-c", script)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        bash.environment().put("QUEUE", node.site() + ApiNode.BASE);
        bash.environment().put("TOKEN", ApiNode.TOKEN);
        Process process = bash.start();
        if (!process.waitFor(100, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        String said = Files.readString(output);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    @Test
    void eachProblemIsDocumented() throws IOException {
        List<String> documented = new ArrayList<>();
        Matcher matcher = TYPE.matcher(Files.readString(DOCUMENT));
        while (matcher.find()) {
            documented.add("urn:delayqueue:problem:" + matcher.group(1) + " " + matcher.group(2));
        }

        assertThat(documented)
                .containsExactlyElementsOf(Stream.of(ProblemType.values())
                        .map(type -> type.uri() + " " + type.status())
                        .toList());
    }
}
