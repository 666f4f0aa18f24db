package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/** Handle of a running {@link ConsumerProcess} in the parent process. Thread-safe. */
final class KillableConsumer implements AutoCloseable {

    /** Exit code of a process killed by SIGKILL: 128 plus the signal number. */
    private static final int KILLED = 128 + 9;

    private static final long NOT_YET = Long.MAX_VALUE;

    private final Process process;
    private final Thread reader;
    private volatile boolean ready;
    private volatile long killedAt = NOT_YET;

    private KillableConsumer(Process process, BiConsumer<KillableConsumer, String> lines) {
        this.process = process;
        this.reader = new Thread(() -> read(lines), "lines of " + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Starts a process.
     *
     * @param addresses addresses of Redis
     * @param log file to which the process appends its log
     * @param lines receives each event line
     */
    static KillableConsumer start(List<String> addresses, Path log, BiConsumer<KillableConsumer, String> lines) {
        return start(ConsumerProcess.class, addresses, log, lines);
    }

    /** Starts another program. */
    static KillableConsumer start(
            Class<?> program, List<String> addresses, Path log, BiConsumer<KillableConsumer, String> lines) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx200m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dlogback.configurationFile=io/delayqueue/proof/consumer-logback.xml",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        command.addAll(addresses);
        File file = log.toFile();
        try {
            return new KillableConsumer(
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.appendTo(file))
                            .start(),
                    lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(BiConsumer<KillableConsumer, String> lines) {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                ready = true;
                lines.accept(this, line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether the listener has started. */
    boolean isReady() {
        return ready;
    }

    boolean wasKilled() {
        return killedAt != NOT_YET;
    }

    /** Time of the kill in milliseconds since 1970, or {@link Long#MAX_VALUE} if not killed. */
    long killedAt() {
        return killedAt;
    }

    /**
     * Kills the process and reads its remaining lines. This uses the process handle because
     * {@code Process.destroyForcibly} would also close the pipe that still holds the last lines.
     */
    void kill() {
        if (!process.isAlive()) {
            throw new IllegalStateException(
                    "Consumer " + this + " exited before it was killed, with code " + process.exitValue());
        }
        killedAt = System.currentTimeMillis();
        process.toHandle().destroyForcibly();
        awaitEnd();
        assertThat(process.exitValue()).isEqualTo(KILLED);
    }

    private void awaitEnd() {
        try {
            // onExit needs a thread of the common pool, which since Java 25 has only one thread on two processors
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("Consumer " + this + " did not exit within 10 s");
            }
            reader.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while reading the output of " + this, e);
        }
        if (reader.isAlive()) {
            throw new IllegalStateException("Timed out while reading the output of " + this);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Ends the process by closing its standard input, as the exit of its parent does. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            awaitEnd();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            process.toHandle().destroyForcibly();
        }
    }

    @Override
    public String toString() {
        return Long.toString(process.pid());
    }
}
