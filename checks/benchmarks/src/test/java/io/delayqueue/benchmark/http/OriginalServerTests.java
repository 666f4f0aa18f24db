package io.delayqueue.benchmark.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process of the original server, with a program in its place. */
class OriginalServerTests {

    @TempDir
    Path directory;

    @AfterEach
    void removeTheExecutable() {
        System.clearProperty(OriginalServer.EXECUTABLE);
    }

    @Test
    void serverGetsItsSettingsInAFileAndEndsWhenItIsClosed() throws Exception {
        executable("exec '" + Path.of(System.getProperty("java.home"), "bin", "java") + "' -cp '"
                + System.getProperty("java.class.path") + "' " + FakeOriginal.class.getName() + " \"$@\"");

        OriginalServer server = new OriginalServer(6379);
        try (HttpConnection connection = server.connect()) {
            assertThat(connection.post("/push", "body")).isEqualTo("-c 127.0.0.1:6379 body");
        } finally {
            server.close();
        }
        assertThatThrownBy(() -> {
                    while (true) { // the system ends the process after close has returned
                        server.connect().close();
                    }
                })
                .isInstanceOf(UncheckedIOException.class);
    }

    @Test
    void serverThatEndsFailsTheTrial() throws Exception {
        executable("exit 1");

        assertThatThrownBy(() -> new OriginalServer(6379))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("The original server accepts no connections");
    }

    private void executable(String command) throws IOException {
        Path script = Files.writeString(directory.resolve("delay-queue"), "#!/bin/sh\n" + command + "\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        System.setProperty(OriginalServer.EXECUTABLE, script.toString());
    }
}
