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
 * <p>Without further settings the server keeps nothing on disk, asks for no password and listens on a free port of the
 * loopback interface. A builder can be used again; each {@link #start()} starts another server. Not thread-safe.
 */
public final class RedisServerBuilder {

    private final Map<String, List<String>> settings = new LinkedHashMap<>();

    private @Nullable Path executable;

    private @Nullable String password;

    private int port;

    private boolean sentinel;

    RedisServerBuilder() {
        setting("bind", "127.0.0.1");
        setting("save", "");
        setting("appendonly", "no");
    }

    /**
     * Keeps every write on disk before it is answered, so that a killed and restarted server has lost nothing
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
     * @param size a size as Redis writes it, such as {@code 16mb}
     * @return this builder
     */
    public RedisServerBuilder maxMemory(String size) {
        return setting("maxmemory", size).setting("maxmemory-policy", "noeviction");
    }

    /**
     * Demands a password of the default user ({@code requirepass}).
     *
     * @param password the password; {@link RedisServerProcess#command(String...)} uses it by itself
     * @return this builder
     */
    public RedisServerBuilder password(String password) {
        this.password = password;
        return setting("requirepass", password);
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
     * Starts a Sentinel, which holds no data but watches masters and replaces them. Which ones is said by further
     * {@linkplain #setting(String, String...) settings}, such as {@code sentinel monitor}.
     *
     * @return this builder
     */
    public RedisServerBuilder sentinel() {
        this.sentinel = true;
        return this;
    }

    /**
     * Adds any other line of {@code redis.conf}, or replaces the one of that name.
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
     * Runs another server than the one that comes with the test support, for instance of another version.
     *
     * @param executable the {@code redis-server} or a program that takes the same arguments
     * @return this builder
     */
    public RedisServerBuilder executable(Path executable) {
        this.executable = executable;
        return this;
    }

    /**
     * Starts a server and waits until it replies.
     *
     * @return the running server; whoever started it closes it
     * @throws NoRedisExecutableException if no executable is known for this platform
     * @throws IllegalStateException if the server ends, or does not answer within 30 seconds; the message carries its
     *     log
     */
    public RedisServerProcess start() {
        return RedisServerProcess.launch(this);
    }

    @Nullable
    Path executable() {
        return this.executable;
    }

    @Nullable
    String password() {
        return this.password;
    }

    int port() {
        return this.port;
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
    List<String> configuration(int port, Path directory) {
        List<String> lines = new ArrayList<>();
        lines.add(line("port", List.of(Integer.toString(port))));
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
