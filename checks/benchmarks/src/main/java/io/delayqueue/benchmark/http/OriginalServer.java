package io.delayqueue.benchmark.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The server of ouqiang/delay-queue, with default settings except two: its port, and that a pop waits for a second.
 */
public final class OriginalServer implements HttpServer {

    /** The system property with the path of the executable. */
    public static final String EXECUTABLE = "benchmark.original";

    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int LOOK_MILLIS = 20;

    private final Path settings;
    private final Process process;
    private final int port;

    /**
     * Starts the server with a port of Redis on the loopback interface, and waits until it accepts connections.
     *
     * @throws IllegalStateException if it ends or accepts none within 30 s
     */
    public OriginalServer(int redisPort) {
        try {
            try (ServerSocket free = new ServerSocket(0)) {
                port = free.getLocalPort();
            }
            settings = Files.createTempFile("delay-queue-", ".conf");
            Files.write(
                    settings,
                    List.of(
                            "bind_address = 127.0.0.1:" + port,
                            "queue_block_timeout = 1",
                            "redis.host = 127.0.0.1:" + redisPort));
            process = new ProcessBuilder(System.getProperty(EXECUTABLE), "-c", settings.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD) // it logs each request
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitConnections();
    }

    private void awaitConnections() {
        long started = System.nanoTime();
        while (true) {
            try (HttpConnection ignored = connect()) {
                return;
            } catch (UncheckedIOException e) {
                if (waitFor(LOOK_MILLIS) || System.nanoTime() - started > TIMEOUT_NANOS) {
                    close();
                    throw new IllegalStateException("The original server accepts no connections", e);
                }
            }
        }
    }

    private boolean waitFor(int millis) {
        try {
            return process.waitFor(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public HttpConnection connect() {
        return new HttpConnection(port);
    }

    @Override
    public void close() {
        process.destroyForcibly();
        settings.toFile().delete();
    }
}
