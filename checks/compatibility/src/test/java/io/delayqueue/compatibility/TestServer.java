package io.delayqueue.compatibility;

import io.delayqueue.test.redis.RedisServerBuilder;
import io.delayqueue.test.redis.RedisServerProcess;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Redis server to test with.
 *
 * @param origin where the executable is from
 * @param executable the executable, or null for that of the test support
 */
record TestServer(String origin, @Nullable Path executable) {

    private static final Path REDIS_6 = Path.of("target", "redis-6.2");

    /** Executables of further servers, separated like the elements of a path. */
    private static final String MORE_PROPERTY = "delayqueue-compatibility.servers";

    /**
     * All servers of this machine and those of {@value #MORE_PROPERTY}; only the one of
     * {@value RedisServerBuilder#EXECUTABLE_PROPERTY} if it is set. A server that cannot run here is left out with a line of
     * notice.
     */
    static List<TestServer> all() {
        String chosen = System.getProperty(RedisServerBuilder.EXECUTABLE_PROPERTY, "");
        if (!chosen.isBlank()) {
            return List.of(new TestServer(chosen, Path.of(chosen)));
        }
        List<TestServer> servers = new ArrayList<>();
        servers.add(embedded());
        redis6().ifPresentOrElse(
                        servers::add,
                        () -> System.out.println("Redis 6.2 is not tested: its executable does not run here"));
        installed()
                .ifPresentOrElse(
                        servers::add,
                        () -> System.out.println("No installed Redis is tested: there is no redis-server on the path"));
        servers.addAll(more());
        return servers;
    }

    /** The servers of {@value #MORE_PROPERTY}, each named after the folder of its executable. */
    static List<TestServer> more() {
        return Stream.of(System.getProperty(MORE_PROPERTY, "").split(File.pathSeparator))
                .filter(path -> !path.isBlank())
                .map(Path::of)
                .map(path -> new TestServer(
                        String.valueOf(path.toAbsolutePath().getParent().getFileName()), path))
                .toList();
    }

    static TestServer embedded() {
        return new TestServer("embedded", null);
    }

    /** Redis 6.2, if its executable runs on this platform. It needs OpenSSL 3 on Linux. */
    static Optional<TestServer> redis6() {
        boolean arm = System.getProperty("os.arch").equals("aarch64");
        String platform =
                (System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : "linux")
                        + (arm ? "-arm64" : "-amd64");
        try (Stream<Path> files = Files.list(REDIS_6)) {
            return files.filter(file -> file.toString().endsWith(platform))
                    .filter(file -> file.toFile().setExecutable(true))
                    .map(file -> new TestServer("embedded-redis 1.4", file.toAbsolutePath()))
                    .filter(server -> server.versionOutput().contains("v="))
                    .findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Optional<TestServer> installed() {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(directory -> Path.of(directory, "redis-server"))
                .filter(Files::isExecutable)
                .findFirst()
                .map(file -> new TestServer("installed", file));
    }

    private String versionOutput() {
        try {
            Process process = new ProcessBuilder(String.valueOf(executable), "--version")
                    .redirectErrorStream(true)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor(10, TimeUnit.SECONDS);
            return output;
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    RedisServerBuilder builder() {
        RedisServerBuilder builder = RedisServerProcess.builder();
        return executable == null ? builder : builder.executable(executable);
    }

    @Override
    public String toString() {
        return origin;
    }
}
