package io.delayqueue.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * A child process and the signals sent to it. Thread-safe.
 *
 * <p>Signals go through the process' handle: {@code Process.destroy} would also close its standard input, by whose end
 * the launcher detects the end of this JVM.
 */
final class NativeProcess {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Process process;

    NativeProcess(Process process) {
        this.process = process;
    }

    long pid() {
        return this.process.pid();
    }

    boolean isAlive() {
        return this.process.isAlive();
    }

    /**
     * Waits until the process has ended.
     *
     * @return whether it has ended
     * @throws IllegalStateException if the thread is interrupted
     */
    boolean waitFor(Duration timeout) {
        try {
            return this.process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for process " + pid(), ex);
        }
    }

    /**
     * Sends {@code SIGKILL} and waits for the end, also on an interrupted thread.
     */
    void kill() {
        this.process.toHandle().destroyForcibly();
        if (!hasEnded()) {
            throw new IllegalStateException("Process %d survives SIGKILL".formatted(pid()));
        }
    }

    /**
     * Sends {@code SIGTERM} and waits for the end, also on an interrupted thread; then kills.
     */
    void terminate() {
        this.process.toHandle().destroy();
        if (!hasEnded()) {
            kill();
        }
    }

    private boolean hasEnded() {
        try {
            this.process
                    .onExit()
                    .orTimeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
        } catch (CompletionException ex) {
            return !isAlive();
        }
        return true;
    }

    void pause() {
        send("-STOP");
    }

    void resume() {
        send("-CONT");
    }

    private void send(String signal) {
        try {
            // Through the shell: not every system has kill as a program.
            NativeProcess kill =
                    new NativeProcess(new ProcessBuilder("sh", "-c", "kill " + signal + " " + pid()).start());
            if (!kill.waitFor(TIMEOUT) || kill.process.exitValue() != 0) {
                throw new IllegalStateException("Could not send %s to process %d".formatted(signal, pid()));
            }
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
