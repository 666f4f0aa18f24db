package io.delayqueue.test.redis;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The directory of one server: executable, launcher, configuration, log and data.
 */
final class ServerDirectory {

    private static final String LAUNCHER = "launcher.sh";

    private final Path path;

    private final Path executable;

    private ServerDirectory(Path path, Path executable) {
        this.path = path;
        this.executable = executable;
    }

    /**
     * Creates the directory with the files that a start requires.
     *
     * @param executable the server to use, or {@code null} for that of the test support
     * @throws NoRedisExecutableException if the test support has none for this platform
     */
    static ServerDirectory create(@Nullable Path executable) throws IOException {
        Path path = Files.createTempDirectory("delayqueue-redis-").toRealPath();
        try {
            Path server = executable != null ? executable.toAbsolutePath() : extractExecutable(path);
            try (InputStream launcher = ServerDirectory.class.getResourceAsStream(LAUNCHER)) {
                if (launcher == null) {
                    throw new IOException(LAUNCHER + " is not on the class path");
                }
                Files.copy(launcher, path.resolve(LAUNCHER));
            }
            return new ServerDirectory(path, server);
        } catch (IOException | RuntimeException ex) {
            deleteTree(path);
            throw ex;
        }
    }

    private static Path extractExecutable(Path directory) throws IOException {
        Path executable = directory.resolve("redis-server");
        try (InputStream resource = EmbeddedExecutable.open()) {
            Files.copy(resource, executable);
        }
        if (!executable.toFile().setExecutable(true)) {
            throw new IOException("%s cannot be made executable".formatted(executable));
        }
        return executable;
    }

    Path path() {
        return this.path;
    }

    void writeConfiguration(List<String> lines) throws IOException {
        Files.write(configuration(), lines);
    }

    /**
     * Starts the server. The returned process is the server itself, not the launcher.
     *
     * @param arguments arguments of the server in addition to its configuration file
     */
    Process launch(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "sh",
                this.path.resolve(LAUNCHER).toString(),
                this.path.toString(),
                this.executable.toString(),
                configuration().toString()));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .directory(this.path.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
    }

    String readLog() {
        try {
            return Files.exists(log()) ? Files.readString(log()) : "";
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /**
     * Removes the directory. Files that cannot be removed are left without an error, so that they do not fail a test.
     */
    void delete() {
        deleteTree(this.path);
    }

    private Path configuration() {
        return this.path.resolve("redis.conf");
    }

    private Path log() {
        return this.path.resolve("redis.log");
    }

    private static void deleteTree(Path root) {
        try (Stream<Path> paths = Files.walk(root)) {
            paths.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        } catch (IOException | UncheckedIOException ex) {
            root.toFile().deleteOnExit();
        }
    }
}
