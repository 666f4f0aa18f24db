package io.delayqueue.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.test.redis.TestPorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;

/** A database server in a process of its own. It ends with this JVM, even if the JVM is killed. */
public abstract class DatabaseServer implements TestDatabase, AutoCloseable {

    private static final Duration START = Duration.ofSeconds(60);

    private final Path directory;
    private final int port = TestPorts.free();
    private ServerProcess process;

    DatabaseServer(String name) {
        directory = ServerProcess.newDirectory(name);
    }

    /** Prepares the directory for the first start. */
    abstract void prepare();

    /** The command that starts the server. */
    abstract List<String> command();

    final Path directory() {
        return directory;
    }

    final int port() {
        return port;
    }

    /** Starts the server with the data of its last run, and waits until it accepts connections. */
    public final void start() {
        if (process == null) {
            prepare();
        }
        launch();
        awaitConnections();
    }

    /** Starts the server with an empty directory, and stops it in order, so that its files are complete. */
    final void createFiles() {
        launch();
        awaitConnections();
        process.terminate();
    }

    private void awaitConnections() {
        Awaitility.await().atMost(START).pollInterval(Duration.ofMillis(50)).until(() -> {
            if (!process.isAlive()) {
                launch(); // processes of the killed server may still hold its files for a moment
            }
            return accepts();
        });
    }

    private void launch() {
        process = ServerProcess.start(directory, Map.of(), command());
    }

    private boolean accepts() {
        try (Connection connection = DriverManager.getConnection(url(), user(), "")) {
            return connection.isValid(1);
        } catch (SQLException e) {
            return false;
        }
    }

    /** Ends the server as a crash would: with SIGKILL, its children included. */
    public final void kill() {
        process.kill();
    }

    /** Runs a command to its end. */
    final void run(List<String> command) {
        try {
            int exit = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new IllegalStateException(command + " failed: " + Files.readString(log(), UTF_8));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private Path log() {
        return directory.resolve("output.log");
    }

    @Override
    public final void close() {
        kill();
        ServerProcess.delete(directory);
    }
}
