package io.delayqueue.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.test.redis.RedisServerProcess;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.springframework.util.FileSystemUtils;

/** A program in a process of its own. It ends with this JVM, even if the JVM is killed. */
public final class ServerProcess implements AutoCloseable {

    private static final Duration START = Duration.ofSeconds(90);
    private static final Duration END = Duration.ofSeconds(20);

    private final Process process;
    private final Path log;

    private ServerProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /**
     * Starts a program.
     *
     * @param directory the working directory, which also contains the log; removed if this JVM ends before the program
     */
    public static ServerProcess start(Path directory, Map<String, String> environment, List<String> command) {
        Path log = directory.resolve("output.log");
        List<String> launched =
                new ArrayList<>(List.of("sh", launcher(directory).toString(), directory.toString()));
        launched.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(launched)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(environment);
        try {
            return new ServerProcess(builder.start(), log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a JVM with a main class of the tests. */
    public static ServerProcess java(Path directory, Class<?> main, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dlogback.configurationFile=io/delayqueue/testing/server-logback.xml",
                // on JDK 25, Netty otherwise does not free the buffers of Artemis' journal
                "-Dio.netty.noUnsafe=false",
                // RocketMQ reads the addresses of buffers
                "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(arguments);
        return start(directory, Map.of(), command);
    }

    private static Path launcher(Path directory) {
        Path launcher = directory.resolve("launcher.sh");
        try (InputStream script = RedisServerProcess.class.getResourceAsStream("launcher.sh")) {
            Files.copy(script, launcher, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return launcher;
    }

    public static Path newDirectory(String name) {
        try {
            return Files.createTempDirectory("delayqueue-" + name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void delete(Path directory) {
        try {
            FileSystemUtils.deleteRecursively(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void awaitReady(BooleanSupplier ready) {
        Awaitility.await().atMost(START).pollInterval(Duration.ofMillis(50)).until(() -> {
            if (!process.isAlive()) {
                throw new IllegalStateException("The process ended: " + output());
            }
            return ready.getAsBoolean();
        });
    }

    public String output() {
        try {
            return Files.readString(log, UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Ends the process as a crash would: with SIGKILL, its children included. */
    public void kill() {
        List<ProcessHandle> children = process.descendants().toList();
        process.toHandle().destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        awaitEnd();
    }

    /** Ends the process in order, with SIGTERM. */
    public void terminate() {
        process.toHandle().destroy();
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

    public void pause() {
        send("-STOP");
    }

    public void resume() {
        send("-CONT");
    }

    private void send(String signal) {
        try {
            new ProcessBuilder("sh", "-c", "kill " + signal + " " + process.pid())
                    .start()
                    .onExit()
                    .join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills the process. */
    @Override
    public void close() {
        kill();
    }
}
