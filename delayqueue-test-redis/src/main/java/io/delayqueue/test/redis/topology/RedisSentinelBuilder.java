package io.delayqueue.test.redis.topology;

import io.delayqueue.test.redis.RedisServerBuilder;
import io.delayqueue.test.redis.RedisServerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Configures and starts a {@link RedisSentinelProcess}.
 *
 * <p>Without further settings there are a master and two replicas, which persist nothing, and three Sentinels with a
 * quorum of two. A failed master is replaced after two to four seconds. A builder can be used again; each
 * {@link #start()} starts other processes. Not thread-safe.
 */
public final class RedisSentinelBuilder {

    private static final int QUORUM = 2;

    private final Map<String, String[]> settings = new LinkedHashMap<>();

    private int replicas = 2;

    private Duration downAfter = Duration.ofSeconds(1);

    private Duration failoverTimeout = Duration.ofSeconds(3);

    private boolean appendOnly;

    private @Nullable Path executable;

    RedisSentinelBuilder() {
        setting("repl-ping-replica-period", "1");
        setting("repl-diskless-sync-delay", "0");
    }

    /**
     * Sets the number of replicas of the first master.
     *
     * @param replicas at least 1; 2 by default
     * @return this builder
     */
    public RedisSentinelBuilder replicas(int replicas) {
        if (replicas < 1) {
            throw new IllegalArgumentException("A failover needs at least 1 replica, not " + replicas);
        }
        this.replicas = replicas;
        return this;
    }

    /**
     * Sets the time without a valid reply after which a Sentinel considers a server down
     * ({@code down-after-milliseconds}).
     *
     * @param downAfter at least 1 ms; 1 s by default
     * @return this builder
     */
    public RedisSentinelBuilder downAfter(Duration downAfter) {
        this.downAfter = downAfter;
        return this;
    }

    /**
     * Sets the timeout of the steps of a failover ({@code failover-timeout}). A failed failover is retried after twice
     * that time.
     *
     * @param timeout at least 1 ms; 3 s by default
     * @return this builder
     */
    public RedisSentinelBuilder failoverTimeout(Duration timeout) {
        this.failoverTimeout = timeout;
        return this;
    }

    /**
     * Persists each write of master and replicas before the reply, as {@link RedisServerBuilder#appendOnly()} does.
     * Otherwise a master that is restarted before it was replaced is empty, and empties its replicas.
     *
     * @return this builder
     */
    public RedisSentinelBuilder appendOnly() {
        this.appendOnly = true;
        return this;
    }

    /**
     * Runs the given server as master, replica and Sentinel, as {@link RedisServerBuilder#executable(Path)} does.
     *
     * @param executable the {@code redis-server} or a program with the same arguments
     * @return this builder
     */
    public RedisSentinelBuilder executable(Path executable) {
        this.executable = executable;
        return this;
    }

    /**
     * Adds a line of {@code redis.conf} for master and replicas, or replaces the line with that name.
     *
     * @param name the name of the setting
     * @param values its values, at least one; they are quoted as needed
     * @return this builder
     */
    public RedisSentinelBuilder setting(String name, String... values) {
        this.settings.put(name, values.clone());
        return this;
    }

    /**
     * Starts all processes and waits until the replicas follow the master and the Sentinels know them and one another.
     *
     * @return the running servers, which the caller must close
     * @throws io.delayqueue.test.redis.NoRedisExecutableException if there is no Redis for this platform
     * @throws IllegalStateException if a process does not start, or the expected state is not reached within a minute;
     *     then none is left running
     */
    public RedisSentinelProcess start() {
        return RedisSentinelProcess.launch(this.replicas, this.downAfter, this::server, this::sentinel);
    }

    private RedisServerBuilder server() {
        RedisServerBuilder server = builder();
        if (this.appendOnly) {
            server.appendOnly();
        }
        this.settings.forEach(server::setting);
        return server;
    }

    private RedisServerBuilder sentinel(RedisServerProcess master) {
        String name = RedisSentinelProcess.MASTER_NAME;
        return builder()
                .sentinel()
                .setting(
                        "sentinel monitor",
                        name,
                        master.host(),
                        Integer.toString(master.port()),
                        Integer.toString(QUORUM))
                .setting("sentinel down-after-milliseconds", name, Long.toString(this.downAfter.toMillis()))
                .setting("sentinel failover-timeout", name, Long.toString(this.failoverTimeout.toMillis()));
    }

    private RedisServerBuilder builder() {
        RedisServerBuilder builder = RedisServerProcess.builder();
        return this.executable == null ? builder : builder.executable(this.executable);
    }
}
