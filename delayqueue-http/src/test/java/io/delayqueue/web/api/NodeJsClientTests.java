package io.delayqueue.web.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.testing.ForeignProgram;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client in another language. */
@Tag("long")
@Tag("compatibility")
class NodeJsClientTests {

    @TempDir
    private Path folder;

    @Test
    void nodeJsClientSendsReceivesAndSettles() throws IOException, InterruptedException, URISyntaxException {
        ForeignProgram.require("node", "nodejs");
        Path script = Path.of(getClass().getResource("client.mjs").toURI());
        Path output = folder.resolve("output");
        ApiNode queue = ApiNode.shared();
        Process process = new ProcessBuilder("node", script.toString(), queue.site(), ApiNode.TOKEN)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        if (!process.waitFor(90, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }

        assertThat(process.waitFor()).as(Files.readString(output, UTF_8)).isZero();
        assertThat(Files.readString(output, UTF_8)).endsWith("done\n");
    }
}
