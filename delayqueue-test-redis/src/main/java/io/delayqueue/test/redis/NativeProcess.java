package io.delayqueue.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * A child process and the signals sent to it. Thread-safe.
 *
 * <p>Signals are sent through the process handle. {@code Process.destroy} would also close the standard input, whose
 * end tells the launcher that this JVM has ended.
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

    /** Sends {@code SIGKILL} and waits until the process has ended, even if the thread is interrupted. */
    void kill() {
        this.process.toHandle().destroyForcibly();
        if (!hasEnded()) {
            throw new IllegalStateException("Process %s survives SIGKILL".formatted(pid()));
        }
    }

    /**
     * Sends {@code SIGTERM} and waits until the process has ended, even if the thread is interrupted. Kills the process
     * after ten seconds.
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
            // Uses the kill command of the shell, because some systems have no program of that name.
            NativeProcess kill =
                    new NativeProcess(new ProcessBuilder("sh", "-c", "kill " + signal + " " + pid()).start());
            if (!kill.waitFor(TIMEOUT) || kill.process.exitValue() != 0) {
                throw new IllegalStateException("Could not send %s to process %s".formatted(signal, pid()));
            }
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
