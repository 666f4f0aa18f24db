package io.delayqueue.test.redis.topology;

import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerBuilder;
import io.delayqueue.test.redis.RedisServerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Configures and starts a {@link RedisClusterProcess}.
 *
 * <p>Without further settings there are three masters with one replica each, which persist only the
 * cluster's configuration, and a master is replaced two to four seconds after it fails. A builder can be used again;
 * each {@link #start()} starts another cluster. Not thread-safe.
 */
public final class RedisClusterBuilder {

    private final Map<String, String[]> settings = new LinkedHashMap<>();

    private int masters = 3;

    private int replicas = 1;

    private boolean appendOnly;

    private boolean proxied;

    private @Nullable Path executable;

    RedisClusterBuilder() {
        setting("cluster-announce-ip", "127.0.0.1");
        // A replica may take over even if its master has been unavailable for long.
        setting("cluster-replica-validity-factor", "0");
        // The test decides which master a replica has.
        setting("cluster-allow-replica-migration", "no");
        setting("repl-ping-replica-period", "1");
        setting("repl-diskless-sync-delay", "0");
    }

    /**
     * Sets the number of masters, which share the slots.
     *
     * @param masters at least 1; a failover needs a majority of the masters, so at least 3 if one is to be lost
     * @return this builder
     */
    public RedisClusterBuilder masters(int masters) {
        if (masters < 1) {
            throw new IllegalArgumentException("A cluster has at least 1 master, not " + masters);
        }
        this.masters = masters;
        return this;
    }

    /**
     * Sets the initial number of replicas of each master.
     *
     * @param replicas 0 or more
     * @return this builder
     */
    public RedisClusterBuilder replicasPerMaster(int replicas) {
        if (replicas < 0) {
            throw new IllegalArgumentException("A master has 0 replicas or more, not " + replicas);
        }
        this.replicas = replicas;
        return this;
    }

    /**
     * Sets the time without a reply after which a node is considered failed ({@code cluster-node-timeout}). A master
     * that needs longer for one command, such as the migration of a large key, is replaced.
     *
     * @param timeout at least 100 ms; 2 s by default, or a minute if there are no replicas
     * @return this builder
     */
    public RedisClusterBuilder nodeTimeout(Duration timeout) {
        return setting("cluster-node-timeout", Long.toString(timeout.toMillis()));
    }

    /**
     * Persists each write before the reply, as {@link RedisServerBuilder#appendOnly()} does. Otherwise a master that is
     * restarted before its replica has taken over is empty, and empties its replica.
     *
     * @return this builder
     */
    public RedisClusterBuilder appendOnly() {
        this.appendOnly = true;
        return this;
    }

    /**
     * Puts a {@link FaultProxy} in front of each node. The nodes announce the addresses of the proxies, so that all
     * requests of clients pass through them. The cluster bus does not use the proxies. Replicas follow their masters
     * through the proxies, but faults do not affect them.
     *
     * @return this builder
     * @see RedisClusterProcess#proxyOf(RedisServerProcess)
     */
    public RedisClusterBuilder proxied() {
        this.proxied = true;
        return this;
    }

    /**
     * Runs the given server on all nodes, as {@link RedisServerBuilder#executable(Path)} does.
     *
     * @param executable the {@code redis-server} or a program with the same arguments
     * @return this builder
     */
    public RedisClusterBuilder executable(Path executable) {
        this.executable = executable;
        return this;
    }

    /**
     * Adds a line to the {@code redis.conf} of each node, or replaces the line with that name. With
     * {@code cluster-require-full-coverage no}, for example, the other masters serve while one is unavailable.
     *
     * @param name the name of the setting
     * @param values its values, at least one; they are quoted as needed
     * @return this builder
     */
    public RedisClusterBuilder setting(String name, String... values) {
        this.settings.put(name, values.clone());
        return this;
    }

    /**
     * Starts the nodes, joins them, and waits until each node reports that the cluster is complete and each replica
     * follows its master.
     *
     * @return the running cluster, which the caller must close
     * @throws io.delayqueue.test.redis.NoRedisExecutableException if there is no Redis for this platform
     * @throws IllegalStateException if a node does not start, or the cluster is not complete within a minute; then no
     *     node is left running
     */
    public RedisClusterProcess start() {
        return RedisClusterProcess.launch(this.masters, this.replicas, this.proxied, this::node);
    }

    private RedisServerBuilder node() {
        RedisServerBuilder node = RedisServerProcess.builder()
                .cluster()
                .setting("cluster-node-timeout", this.replicas == 0 ? "60000" : "2000");
        if (this.executable != null) {
            node.executable(this.executable);
        }
        if (this.appendOnly) {
            node.appendOnly();
        }
        this.settings.forEach(node::setting);
        return node;
    }
}
