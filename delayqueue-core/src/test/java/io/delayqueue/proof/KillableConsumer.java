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

/** A running {@link ConsumerProcess}, as its parent sees it. Thread-safe. */
final class KillableConsumer implements AutoCloseable {

    /** What a shell would say too: 128 and the number of the signal. */
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
     * @param addresses where its Redis is
     * @param log what it logs goes here
     * @param lines is told what it does, line by line
     */
    static KillableConsumer start(List<String> addresses, Path log, BiConsumer<KillableConsumer, String> lines) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx200m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dlogback.configurationFile=io/delayqueue/proof/consumer-logback.xml",
                "-cp",
                System.getProperty("java.class.path"),
                ConsumerProcess.class.getName()));
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

    /** Whether its listener was started. */
    boolean isReady() {
        return ready;
    }

    boolean wasKilled() {
        return killedAt != NOT_YET;
    }

    /** Until then it lived, in ms since 1970; far in the future if it was not killed. */
    long killedAt() {
        return killedAt;
    }

    /**
     * Kills it and reads what it said before. By the handle: {@code Process.destroyForcibly} would also close the pipe
     * that still holds its last lines.
     */
    void kill() {
        if (!process.isAlive()) {
            throw new IllegalStateException("Consumer " + this + " ended by itself: " + process.exitValue());
        }
        killedAt = System.currentTimeMillis();
        process.toHandle().destroyForcibly();
        awaitEnd();
        assertThat(process.exitValue()).isEqualTo(KILLED);
    }

    private void awaitEnd() {
        try {
            // not by onExit, which needs a thread of the common pool: with two processors it has one, from Java 25 on
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("Consumer " + this + " does not end");
            }
            reader.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while reading what " + this + " said", e);
        }
        if (reader.isAlive()) {
            throw new IllegalStateException("What " + this + " said is not read to its end");
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Ends it as the end of its parent would. */
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
