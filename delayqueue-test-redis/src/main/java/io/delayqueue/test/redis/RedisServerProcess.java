package io.delayqueue.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis server for tests in a process of its own. It can be killed, paused and restarted on the same port.
 *
 * <p>The server listens on the loopback interface only and has a temporary directory of its own, which
 * {@link #close()} removes. When this JVM ends, even by {@code SIGKILL}, the server is killed and its directory is
 * removed. Until then shutdown hooks can use it, and Ctrl-C does not reach it.
 *
 * <p>Thread-safe. Methods that change the state of the server wait until it has changed.
 */
public final class RedisServerProcess implements AutoCloseable {

    private static final Duration START_TIMEOUT = Duration.ofSeconds(30);

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(10);

    private static final Duration PING_TIMEOUT = Duration.ofSeconds(1);

    private static final Duration POLL_INTERVAL = Duration.ofMillis(10);

    private static final int PORT_ATTEMPTS = 10;

    private static final String PORT_TAKEN = "Failed listening on port";

    /** What a server without TLS logs of a setting for TLS. */
    private static final Pattern WITHOUT_TLS = Pattern.compile(">>> 'tls-.*\\R+Bad directive");

    private final ServerDirectory directory;

    private final List<String> arguments;

    private final @Nullable String password;

    private volatile int port;

    private volatile int tlsPort;

    private volatile @Nullable NativeProcess process;

    private boolean closed;

    private RedisServerProcess(ServerDirectory directory, RedisServerBuilder settings) {
        this.directory = directory;
        this.arguments = settings.arguments();
        this.password = settings.password;
    }

    /**
     * Starts a server that persists nothing and requires no password.
     *
     * @return the running server, which the caller must close
     * @see #builder()
     */
    public static RedisServerProcess start() {
        return builder().start();
    }

    /**
     * Creates a builder of a configured server.
     *
     * @return a new builder
     */
    public static RedisServerBuilder builder() {
        return new RedisServerBuilder();
    }

    static RedisServerProcess launch(RedisServerBuilder settings) {
        try {
            ServerDirectory directory = ServerDirectory.create(settings.executable);
            RedisServerProcess server = new RedisServerProcess(directory, settings);
            try {
                server.launchOnPort(settings);
                return server;
            } catch (IOException | RuntimeException ex) {
                server.close();
                throw ex;
            }
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private synchronized void launchOnPort(RedisServerBuilder settings) throws IOException {
        boolean anyPort = settings.port == 0;
        for (int attempt = 1; ; attempt++) {
            this.port = anyPort ? FreePort.find(settings.isCluster()) : settings.port;
            this.tlsPort = settings.tls ? FreePort.find(false) : 0;
            this.directory.writeConfiguration(settings.configuration(this.port, this.tlsPort, this.directory.path()));
            String failure = tryLaunch();
            if (failure == null) {
                return;
            }
            if (!anyPort || attempt == PORT_ATTEMPTS || !failure.contains(PORT_TAKEN)) {
                throw new IllegalStateException("Redis did not start on port %s%s:%n%s"
                        .formatted(this.port, isWithoutTls(settings, failure) ? withoutTls(settings) : "", failure));
            }
        }
    }

    private static boolean isWithoutTls(RedisServerBuilder settings, String failure) {
        return settings.tls && WITHOUT_TLS.matcher(failure).find();
    }

    private static String withoutTls(RedisServerBuilder settings) {
        return ", because %s has no support for TLS. Name a server that was built with BUILD_TLS=yes in the system property %s"
                .formatted(
                        settings.executable == null ? "the server of the test support" : settings.executable,
                        RedisServerBuilder.EXECUTABLE_PROPERTY);
    }

    /**
     * Starts the process and waits until it serves commands.
     *
     * @return {@code null}, or its log if it failed
     */
    private @Nullable String tryLaunch() throws IOException {
        int logged = this.directory.readLog().length();
        NativeProcess launched = new NativeProcess(this.directory.launch(this.arguments));
        this.process = launched;
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!isServing(launched)) {
            if (launched.waitFor(POLL_INTERVAL) || System.nanoTime() - deadline > 0) {
                launched.kill();
                return this.directory.readLog().substring(logged);
            }
        }
        return null;
    }

    private boolean isServing(NativeProcess launched) {
        try (RespConnection connection = connect(PING_TIMEOUT)) {
            // Another server may have the port. Then this one is about to end.
            return "PONG".equals(connection.call("PING"))
                    && String.valueOf(connection.call("INFO", "server"))
                            .contains("process_id:" + launched.pid() + "\r\n");
        } catch (IOException | RedisErrorException ex) {
            return false;
        }
    }

    /**
     * The host to connect to.
     *
     * @return {@code 127.0.0.1}
     */
    public String host() {
        return Loopback.HOST;
    }

    /**
     * The port of the server, which does not change with restarts.
     *
     * @return the port, 16,384 to 32,767 unless the caller chose it
     */
    public int port() {
        return this.port;
    }

    /**
     * The port for TLS, which does not change with restarts.
     *
     * @return the port
     * @throws IllegalStateException if the server was started without TLS
     */
    public int tlsPort() {
        if (this.tlsPort == 0) {
            throw new IllegalStateException("This Redis server was started without TLS");
        }
        return this.tlsPort;
    }

    /**
     * The password that the server requires.
     *
     * @return the password or {@code null}
     */
    public @Nullable String password() {
        return this.password;
    }

    /**
     * The directory with configuration, log and data, until the server is closed.
     *
     * @return the server's working directory
     */
    public Path directory() {
        return this.directory.path();
    }

    /**
     * The id of the process, which changes with each restart.
     *
     * @return the process id
     * @throws IllegalStateException if the server does not run
     */
    public long pid() {
        return running().pid();
    }

    /**
     * Whether the process exists. A paused server is running.
     *
     * @return {@code true} between a start and the next stop or kill
     */
    public boolean isRunning() {
        NativeProcess current = this.process;
        return current != null && current.isAlive();
    }

    /**
     * The log of the server since its first start.
     *
     * @return the whole log
     */
    public String log() {
        return this.directory.readLog();
    }

    /**
     * Ends the server as a crash would ({@code SIGKILL}). Does nothing if it does not run.
     */
    public synchronized void kill() {
        NativeProcess current = this.process;
        if (current != null) {
            current.kill();
        }
    }

    /**
     * Shuts the server down ({@code SIGTERM}) and waits for its end. Kills it after ten seconds. A paused server is
     * resumed first. Does nothing if it does not run.
     */
    public synchronized void stop() {
        if (isRunning()) {
            resume();
            running().terminate();
        }
    }

    /**
     * Starts the server again, on the same port and with the same directory, and waits until it replies. If it runs, it
     * is stopped first.
     *
     * @throws IllegalStateException if it was closed or does not start; the message has its log
     */
    public synchronized void restart() {
        if (this.closed) {
            throw new IllegalStateException("This Redis server was closed");
        }
        stop();
        try {
            String failure = tryLaunch();
            if (failure != null) {
                throw new IllegalStateException("Redis did not restart on port %s:%n%s".formatted(this.port, failure));
            }
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /**
     * Suspends the process ({@code SIGSTOP}). Connections stay open, the operating system accepts new ones, and the
     * server does not reply until {@link #resume()}.
     *
     * @throws IllegalStateException if the server does not run
     */
    public synchronized void pause() {
        running().pause();
    }

    /**
     * Resumes a paused server ({@code SIGCONT}). It then replies to the commands that were sent meanwhile.
     *
     * @throws IllegalStateException if the server does not run
     */
    public synchronized void resume() {
        running().resume();
    }

    /**
     * Runs one command on a connection of its own.
     *
     * @param arguments the command's name and its arguments
     * @return the reply: a {@code String} (bytes read as UTF-8), a {@code Long}, {@code null}, or a list of these; an
     *     error within a list is a {@link RedisErrorException}
     * @throws RedisErrorException if Redis replies with an error
     * @throws UncheckedIOException if the server is unreachable or does not reply within ten seconds
     */
    public @Nullable Object command(String... arguments) {
        return command(COMMAND_TIMEOUT, arguments);
    }

    /**
     * Runs one command as {@link #command(String...)} does, with a timeout.
     *
     * @param timeout timeout of the connection attempt, and of the reply, at least 1 ms
     * @param arguments the command's name and its arguments
     * @return the reply
     * @throws RedisErrorException if Redis replies with an error
     * @throws UncheckedIOException if the server is unreachable or does not reply in time
     */
    public @Nullable Object command(Duration timeout, String... arguments) {
        try (RespConnection connection = connect(timeout)) {
            return connection.call(arguments);
        } catch (IOException ex) {
            throw new UncheckedIOException("No reply to %s".formatted(arguments[0]), ex);
        }
    }

    /**
     * Reads a section of {@code INFO}.
     *
     * @param section a section of {@code INFO}, such as {@code commandstats}
     * @return the section's entries by name, in Redis' order
     */
    public Map<String, String> info(String section) {
        Map<String, String> entries = new LinkedHashMap<>();
        String.valueOf(command("INFO", section)).lines().forEach((line) -> {
            int colon = line.indexOf(':');
            if (colon > 0 && !line.startsWith("#")) {
                entries.put(line.substring(0, colon), line.substring(colon + 1));
            }
        });
        return entries;
    }

    /**
     * Removes all data and all cached scripts.
     */
    public void flush() {
        command("FLUSHALL");
        command("SCRIPT", "FLUSH");
    }

    private RespConnection connect(Duration timeout) throws IOException {
        RespConnection connection = new RespConnection(this.port, timeout);
        if (this.password != null) {
            try {
                connection.call("AUTH", this.password);
            } catch (IOException | RuntimeException ex) {
                connection.close();
                throw ex;
            }
        }
        return connection;
    }

    /**
     * Kills the server and removes its directory. It cannot be restarted. Closing again does nothing.
     */
    @Override
    public synchronized void close() {
        this.closed = true;
        kill();
        this.directory.delete();
    }

    private NativeProcess running() {
        NativeProcess current = this.process;
        if (current == null || !current.isAlive()) {
            throw new IllegalStateException("This Redis server does not run");
        }
        return current;
    }
}
