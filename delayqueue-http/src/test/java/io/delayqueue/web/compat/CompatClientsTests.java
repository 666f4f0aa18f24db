package io.delayqueue.web.compat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.testing.ForeignProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The examples of docs/http-compat.md, as users type them: without a content type, {@code -d} declares a form. */
@Timeout(120)
@Tag("long")
@Tag("compatibility")
class CompatClientsTests {

    private static final Path DOCUMENT = Path.of("../docs/http-compat.md");
    private static final Pattern EXAMPLES = Pattern.compile("```shell\n(.*?)```", Pattern.DOTALL);

    @TempDir
    private static Path directory;

    @Test
    void documentedExamples() throws Exception {
        ForeignProgram.require("curl", "curl");
        ForeignProgram.require("bash", "bash");
        Matcher block = EXAMPLES.matcher(Files.readString(DOCUMENT));
        assertThat(block.find()).isTrue();
        List<String> lines = block.group(1).lines().toList();
        assertThat(lines).hasSize(6);
        String token = "the-token-of-the-tests";
        try (CompatNode guarded = CompatNode.start(
                "tomcat",
                "",
                "delayqueue.http.clients.tests.tokens=" + token,
                "delayqueue.http.clients.tests.permissions=admin")) {
            for (int i = 0; i < lines.size(); i += 2) {
                String command = "QUEUE=" + guarded.url("") + "; TOKEN=" + token + "; "
                        + lines.get(i).replace("curl ", "curl -sS ");
                assertThat(run("bash", "-c", command)).isEqualTo(lines.get(i + 1));
            }
        }
    }

    private static String run(String... command) throws IOException, InterruptedException {
        Path output = Files.createTempFile(directory, "output", ".txt");
        Process process = new ProcessBuilder(new ArrayList<>(List.of(command)))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        String said = Files.readString(output, UTF_8);
        assertThat(process.exitValue()).as(said).isZero();
        return said;
    }
}
