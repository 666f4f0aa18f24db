package io.delayqueue.test.redis.topology;

import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerBuilder;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Says how many nodes a {@link RedisClusterProcess} is to have and how they are configured, then starts it.
 *
 * <p>Without further settings there are three masters with one replica each, which keep nothing on disk but their
 * cluster's configuration, and a master is replaced two to four seconds after it was lost. A builder can be used again;
 * each {@link #start()} starts another cluster. Not thread-safe.
 */
public final class RedisClusterBuilder {

    private final Map<String, String[]> settings = new LinkedHashMap<>();

    private int masters = 3;

    private int replicas = 1;

    private boolean appendOnly;

    private boolean proxied;

    RedisClusterBuilder() {
        setting("cluster-announce-ip", "127.0.0.1");
        // However long its master has been away, a replica may take over.
        setting("cluster-replica-validity-factor", "0");
        // Who follows whom is the test's business.
        setting("cluster-allow-replica-migration", "no");
        setting("repl-ping-replica-period", "1");
        setting("repl-diskless-sync-delay", "0");
    }

    /**
     * How many masters share the slots.
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
     * How many replicas each master has at first.
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
     * After how long without a sign of life a node is held for lost ({@code cluster-node-timeout}). A master that is
     * busy with one command for longer, moving a large key for instance, is replaced.
     *
     * @param timeout at least 100 ms; 2 s by default, and a minute without replicas, where nothing can replace a master
     * @return this builder
     */
    public RedisClusterBuilder nodeTimeout(Duration timeout) {
        return setting("cluster-node-timeout", Long.toString(timeout.toMillis()));
    }

    /**
     * Has each node keep every write on disk before it is answered, as {@link RedisServerBuilder#appendOnly()} does.
     * Otherwise a master that is restarted before its replica has taken over comes back empty, and empties its replica.
     *
     * @return this builder
     */
    public RedisClusterBuilder appendOnly() {
        this.appendOnly = true;
        return this;
    }

    /**
     * Puts a {@link FaultProxy} in front of each node. Clients are told of the proxies only, also by the nodes, so that
     * all they do goes through them; the nodes talk to one another past them, but for replicas, which follow their
     * masters through the proxies without taking part in their faults.
     *
     * @return this builder
     * @see RedisClusterProcess#proxyOf(RedisServerProcess)
     */
    public RedisClusterBuilder proxied() {
        this.proxied = true;
        return this;
    }

    /**
     * Adds any other line of {@code redis.conf} to each node's, or replaces the one of that name; for instance
     * {@code cluster-require-full-coverage no}, with which the other masters serve while one is lost.
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
     * Starts the nodes, joins them, and waits until each of them finds the cluster in order and each replica follows
     * its master.
     *
     * @return the running cluster; whoever started it closes it
     * @throws io.delayqueue.test.redis.NoRedisExecutableException if there is no Redis for this platform
     * @throws IllegalStateException if a node does not start, or the nodes do not find together within a minute; then
     *     none is left running
     */
    public RedisClusterProcess start() {
        settings.putIfAbsent("cluster-node-timeout", new String[] {replicas == 0 ? "60000" : "2000"});
        return RedisClusterProcess.launch(this);
    }

    int masters() {
        return this.masters;
    }

    int replicasPerMaster() {
        return this.replicas;
    }

    boolean isProxied() {
        return this.proxied;
    }

    RedisServerBuilder node() {
        RedisServerBuilder node = RedisServerProcess.builder().cluster();
        if (this.appendOnly) {
            node.appendOnly();
        }
        this.settings.forEach(node::setting);
        return node;
    }
}
