package io.delayqueue.jdbc.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.springframework.util.FileSystemUtils;

/** A database server in a process of its own. It ends with this JVM, even if the JVM is killed. */
public abstract class DatabaseServer implements TestDatabase, AutoCloseable {

    private static final Duration START = Duration.ofSeconds(60);
    private static final Duration END = Duration.ofSeconds(20);

    private final Path directory;
    private final int port = freePort();
    private Process process;

    DatabaseServer(String name) {
        try {
            directory = Files.createTempDirectory("delayqueue-" + name);
            try (InputStream script = DatabaseServer.class.getResourceAsStream("launcher.sh")) {
                Files.copy(script, directory.resolve("launcher.sh"));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
        process.toHandle().destroy();
        awaitEnd();
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
        List<String> launched =
                new ArrayList<>(List.of("sh", directory.resolve("launcher.sh").toString()));
        launched.addAll(command());
        try {
            process = new ProcessBuilder(launched)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
        List<ProcessHandle> children = process.descendants().toList();
        process.toHandle().destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        awaitEnd();
    }

    private void awaitEnd() {
        try {
            if (!process.waitFor(END.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("Process " + process.pid() + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
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
        try {
            process.getOutputStream().close();
            FileSystemUtils.deleteRecursively(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Finds a free port on the loopback interface, below the ports of outgoing connections. */
    private static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(16_384, 32_768);
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return port;
            } catch (IOException taken) {
                // tries another port
            }
        }
    }
}
