package io.delayqueue.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.delayqueue.testing.ForeignProgram;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The server with its own defaults, except for the ports. */
@ExtendWith(OutputCaptureExtension.class)
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "management.server.port=0",
            "delayqueue.http.clients.shop.tokens=" + DelayQueueServerTests.TOKEN,
            "delayqueue.http.clients.shop.permissions=admin"
        })
class DelayQueueServerTests {

    static final String TOKEN = "0123456789abcdef";

    private static final Path DOCUMENT = Path.of("../docs/server.md");
    private static final Pattern BLOCK = Pattern.compile("```console\n(.*?)```", Pattern.DOTALL);
    private static final Pattern EXAMPLE =
            Pattern.compile("^\\$ ((?:.*\\\\\n)*.*)\n((?:(?!\\$ ).*\n)*)", Pattern.MULTILINE);
    /** After the output of each command. */
    private static final String END = "#end";

    @Value("${local.server.port}")
    private int port;

    @Value("${local.management.port}")
    private int managementPort;

    @TempDir
    private Path folder;

    private record Example(String command, String output) {

        /** The documented output as a regular expression. */
        Pattern expected() {
            return Pattern.compile(Arrays.stream(output.strip().split("…", -1))
                    .map(Pattern::quote)
                    .collect(Collectors.joining(".*")));
        }
    }

    @Test
    void walkThroughHasTheDocumentedOutput() throws IOException, InterruptedException {
        ForeignProgram.require("bash", "bash");
        ForeignProgram.require("curl", "curl");
        List<Example> examples = examples();
        String script = examples.stream()
                .map(example -> example.command() + "\necho; echo '" + END + "'\n")
                .collect(Collectors.joining());
        String[] outputs = run(script).split(END + "\n");

        assertThat(outputs).hasSameSizeAs(examples);
        for (int i = 0; i < outputs.length; i++) {
            Example example = examples.get(i);
            assertThat(outputs[i].strip()).as(example.command()).matches(example.expected());
        }
    }

    private static List<Example> examples() throws IOException {
        List<Example> examples = new ArrayList<>();
        Matcher block = BLOCK.matcher(Files.readString(DOCUMENT));
        while (block.find()) {
            Matcher example = EXAMPLE.matcher(block.group(1));
            while (example.find()) {
                examples.add(new Example(example.group(1), example.group(2)));
            }
        }
        assertThat(examples).hasSize(10);
        return examples;
    }

    private String run(String script) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        ProcessBuilder bash = new ProcessBuilder("bash", "-e", "-c", script)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        bash.environment().put("SERVER", "http://localhost:" + port);
        bash.environment().put("MANAGEMENT", "http://localhost:" + managementPort);
        bash.environment().put("TOKEN", TOKEN);
        Process process = bash.start();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        String said = Files.readString(output, UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    @ParameterizedTest
    @CsvSource({
        "/livez, 200",
        "/readyz, 200",
        "/actuator, 404",
        "/actuator/health, 404",
        "/actuator/delayqueue, 404",
        "/delayqueue/v1/topics, 401",
        "/get, 401"
    })
    void portOfTheInterfacesServesNothingElseWithoutAToken(String path, int status) throws Exception {
        assertThat(get(port, path)).isEqualTo(status);
    }

    @ParameterizedTest
    @CsvSource({
        "/actuator/health, 200",
        "/actuator/prometheus, 200",
        "/actuator/delayqueue, 200",
        "/actuator/delayqueuedashboard, 200",
        "/actuator/env, 404",
        "/delayqueue/v1/topics, 404",
        "/get, 404"
    })
    void managementPortServesOperations(String path, int status) throws Exception {
        assertThat(get(managementPort, path)).isEqualTo(status);
    }

    private static int get(int port, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .build();
        return HttpClient.newHttpClient()
                .send(request, BodyHandlers.discarding())
                .statusCode();
    }

    @Test
    void serverWithoutClientsDoesNotStart(CapturedOutput output) {
        assertThat(catchThrowable(() ->
                        SpringApplication.run(DelayQueueServer.class, "--server.port=0", "--management.server.port=0")))
                .isNotNull();
        assertThat(output.getOut()).contains("APPLICATION FAILED TO START", "delayqueue.http.clients");
    }
}
