package io.delayqueue.test.redis;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Configures and starts a {@link RedisServerProcess}.
 *
 * <p>Without further settings the server persists nothing, requires no password and listens on a free port of the
 * loopback interface. A builder can be used again; each {@link #start()} starts another server. Not thread-safe.
 *
 * <p>The executable is that of the test support, unless the system property {@value #EXECUTABLE_PROPERTY} or
 * {@link #executable(Path)} names another one.
 */
public final class RedisServerBuilder {

    /** Name of the system property with the path of the {@code redis-server} that all tests of a JVM use. */
    public static final String EXECUTABLE_PROPERTY = "delayqueue-test.redis-executable";

    private final Map<String, List<String>> settings = new LinkedHashMap<>();

    @Nullable
    Path executable;

    @Nullable
    String password;

    int port;

    boolean tls;

    private boolean sentinel;

    RedisServerBuilder() {
        setting("bind", "127.0.0.1");
        setting("save", "");
        setting("appendonly", "no");
        String configured = System.getProperty(EXECUTABLE_PROPERTY, "");
        this.executable = configured.isBlank() ? null : Path.of(configured);
    }

    /**
     * Persists each write before the reply, so that a killed and restarted server has lost nothing
     * ({@code appendonly yes}, {@code appendfsync always}).
     *
     * @return this builder
     */
    public RedisServerBuilder appendOnly() {
        return setting("appendonly", "yes").setting("appendfsync", "always");
    }

    /**
     * Limits the memory. Writes beyond the limit are rejected; keys are not evicted.
     *
     * @param size a size in the format of Redis, such as {@code 16mb}
     * @return this builder
     */
    public RedisServerBuilder maxMemory(String size) {
        return setting("maxmemory", size).setting("maxmemory-policy", "noeviction");
    }

    /**
     * Requires a password for the default user ({@code requirepass}).
     *
     * @param password the password, which {@link RedisServerProcess#command(String...)} uses
     * @return this builder
     */
    public RedisServerBuilder password(String password) {
        this.password = password;
        return setting("requirepass", password);
    }

    /**
     * Also listens for TLS, on a second free port. Clients need no certificate. The executable must support TLS, which
     * that of the test support does on Linux.
     *
     * @param certificate PEM file with the server's certificate
     * @param key PEM file with its private key
     * @param authority PEM file with the certificate of the authority that signed it
     * @return this builder
     * @see RedisServerProcess#tlsPort()
     */
    public RedisServerBuilder tls(Path certificate, Path key, Path authority) {
        this.tls = true;
        return setting("tls-cert-file", certificate.toAbsolutePath().toString())
                .setting("tls-key-file", key.toAbsolutePath().toString())
                .setting("tls-ca-cert-file", authority.toAbsolutePath().toString())
                .setting("tls-auth-clients", "no");
    }

    /**
     * Starts the server as a node of a Redis Cluster, without slots and without other nodes. The port of its cluster
     * bus is 10,000 above its own.
     *
     * @return this builder
     */
    public RedisServerBuilder cluster() {
        return setting("cluster-enabled", "yes");
    }

    /**
     * Starts a Sentinel, which has no data but monitors masters and replaces them. Further
     * {@linkplain #setting(String, String...) settings}, such as {@code sentinel monitor}, name the masters.
     *
     * @return this builder
     */
    public RedisServerBuilder sentinel() {
        this.sentinel = true;
        return this;
    }

    /**
     * Adds a line of {@code redis.conf}, or replaces the line with that name.
     *
     * @param name the name of the setting
     * @param values its values, at least one; they are quoted as needed
     * @return this builder
     */
    public RedisServerBuilder setting(String name, String... values) {
        this.settings.put(name, List.of(values));
        return this;
    }

    /**
     * Listens on this port instead of a free one.
     *
     * @param port the port, or 0 for a free one
     * @return this builder
     */
    public RedisServerBuilder port(int port) {
        this.port = port;
        return this;
    }

    /**
     * Runs the given server instead of the server of the test support, for example another version.
     *
     * @param executable the {@code redis-server} or a program with the same arguments
     * @return this builder
     */
    public RedisServerBuilder executable(Path executable) {
        this.executable = executable;
        return this;
    }

    /**
     * Starts a server and waits until it replies.
     *
     * @return the running server, which the caller must close
     * @throws NoRedisExecutableException if no executable is known for this platform
     * @throws IllegalStateException if the server ends, or does not reply within 30 seconds; the message has its log
     */
    public RedisServerProcess start() {
        return RedisServerProcess.launch(this);
    }

    List<String> arguments() {
        return this.sentinel ? List.of("--sentinel") : List.of();
    }

    boolean isCluster() {
        return List.of("yes").equals(this.settings.get("cluster-enabled"));
    }

    /**
     * The lines of the configuration file.
     */
    List<String> configuration(int port, int tlsPort, Path directory) {
        List<String> lines = new ArrayList<>();
        lines.add(line("port", List.of(Integer.toString(port))));
        if (this.tls) {
            lines.add(line("tls-port", List.of(Integer.toString(tlsPort))));
        }
        lines.add(line("dir", List.of(directory.toString())));
        this.settings.forEach((name, values) -> lines.add(line(name, values)));
        return lines;
    }

    private static String line(String name, List<String> values) {
        StringBuilder line = new StringBuilder(name);
        for (String value : values) {
            line.append(" \"")
                    .append(value.replace("\\", "\\\\").replace("\"", "\\\""))
                    .append('"');
        }
        return line.toString();
    }
}
