package io.delayqueue.actuate.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.testing.ForeignProgram;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs functions of the page's scripts in Node.js, without a browser. */
final class DashboardScripts {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Path directory;

    /** Copies the scripts to an empty directory, where Node.js treats them as modules. */
    DashboardScripts(Path directory) throws IOException {
        ForeignProgram.require("node", "nodejs");
        this.directory = directory;
        Files.writeString(directory.resolve("package.json"), "{\"type\": \"module\"}");
        try (DirectoryStream<Path> scripts =
                Files.newDirectoryStream(Path.of("src/main/resources/io/delayqueue/actuate/dashboard"), "*.js")) {
            for (Path script : scripts) {
                Files.copy(script, directory.resolve(script.getFileName()));
            }
        }
    }

    /** The text of all scripts. */
    String text() throws IOException {
        StringBuilder text = new StringBuilder();
        try (DirectoryStream<Path> scripts = Files.newDirectoryStream(directory, "*.js")) {
            for (Path script : scripts) {
                text.append(Files.readString(script));
            }
        }
        return text.toString();
    }

    /** Runs the body of an asynchronous function, with these {@code arguments}, and returns its result. */
    JsonNode run(String body, Object... arguments) {
        String program = "const result = await (async function () {" + body + "})"
                + ".apply(null, JSON.parse(process.argv.at(-1)));"
                + "process.stdout.write(JSON.stringify(result));";
        try {
            Path call = Files.writeString(directory.resolve("call.js"), program);
            Path output = directory.resolve("output");
            Process node = new ProcessBuilder("node", call.toString(), JSON.writeValueAsString(arguments))
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            boolean ended = node.waitFor(60, TimeUnit.SECONDS);
            node.destroyForcibly();
            String said = Files.readString(output, UTF_8);
            assertThat(ended && node.waitFor() == 0).as(said).isTrue();
            return JSON.readTree(said);
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
