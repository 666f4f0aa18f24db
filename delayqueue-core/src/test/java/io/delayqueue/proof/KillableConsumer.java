package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/** Handle of a running {@link ConsumerProcess} in the parent process. Thread-safe. */
final class KillableConsumer implements AutoCloseable {

    private final Process process;
    private final Thread reader;
    private volatile boolean ready;
    private volatile long endedAt = Long.MAX_VALUE;

    private KillableConsumer(Process process, BiConsumer<KillableConsumer, String> lines) {
        this.process = process;
        this.reader = new Thread(() -> read(lines), "lines of " + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Starts a process.
     *
     * @param port port of Redis
     * @param log file to which the process appends its log
     * @param lines receives each event line
     */
    static KillableConsumer start(int port, Duration lease, Path log, BiConsumer<KillableConsumer, String> lines) {
        ProcessBuilder process = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx200m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dlogback.configurationFile=io/delayqueue/proof/consumer-logback.xml",
                "-cp",
                System.getProperty("java.class.path"),
                ConsumerProcess.class.getName(),
                Integer.toString(port),
                Long.toString(lease.toMillis()));
        try {
            return new KillableConsumer(
                    process.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
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
            endedAt = Math.min(endedAt, System.currentTimeMillis());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether the listener has started. */
    boolean isReady() {
        return ready;
    }

    /** Time at which the process was killed or its end was seen, in milliseconds since 1970; or a time never reached. */
    long endedAt() {
        return endedAt;
    }

    /**
     * Kills the process and reads its remaining lines. This uses the process handle because
     * {@code Process.destroyForcibly} would also close the pipe that still holds the last lines.
     */
    void kill() {
        endedAt = Math.min(endedAt, System.currentTimeMillis());
        process.toHandle().destroyForcibly();
        awaitEnd();
    }

    private void awaitEnd() {
        try {
            // onExit needs a thread of the common pool, which since Java 25 has only one thread on two processors
            boolean ended = process.waitFor(10, TimeUnit.SECONDS);
            reader.join(TimeUnit.SECONDS.toMillis(10));
            assertThat(ended && !reader.isAlive())
                    .as("%s ended within 10 s", this)
                    .isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
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
