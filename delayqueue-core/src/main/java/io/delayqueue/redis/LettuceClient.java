package io.delayqueue.redis;

import io.delayqueue.redis.QueueConnections.Settings;
import io.lettuce.core.resource.ClientResources;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The queue's client: Lettuce, with the application's server configuration and client settings and the queue's time
 * limits. Thread-safe.
 *
 * <p>What the queue needs of a client library is a {@link Link}, which writes a script and returns its reply, a {@link
 * MasterConnection} for confirmed writes, a factory for the subscription, and {@link RedisFailure}, which says what a
 * failure means.
 */
final class LettuceClient implements AutoCloseable {

    private final RedisConfiguration configuration;
    private final LettuceClientConfiguration client;
    private final LettuceClientConfiguration masterClient;
    private final ClientResources resources;
    private final AtomicInteger signalFactories = new AtomicInteger();

    /**
     * Takes the settings of the application's factory, without connecting.
     *
     * @throws IllegalArgumentException if the factory does not expose its settings
     */
    LettuceClient(LettuceConnectionFactory application, Settings settings) {
        this.configuration = configurationOf(application);
        LettuceClientConfiguration given = application.getClientConfiguration();
        this.resources = LettuceSettings.resources(given.getClientResources().orElse(null), settings);
        this.client = LettuceSettings.derivedFrom(given, configuration, resources, settings);
        this.masterClient = LettuceSettings.forOneMaster(given, configuration, resources, settings);
    }

    /** Reads the field, because no getter returns the configuration of static masters and replicas. */
    private static RedisConfiguration configurationOf(LettuceConnectionFactory application) {
        Object value = new DirectFieldAccessor(application).getPropertyValue("configuration");
        if (value instanceof RedisConfiguration configuration) {
            return configuration;
        }
        throw new IllegalArgumentException("it does not expose its server configuration");
    }

    /**
     * Starts the threads for timeouts and reconnects. Otherwise Lettuce starts each thread when it is first needed, and
     * drops the task if no thread can be created: a command on a broken connection would then never complete.
     */
    private void startThreads() {
        resources.eventExecutorGroup().forEach(thread -> thread.execute(() -> {}));
        resources.timer().newTimeout(timeout -> {}, 0, TimeUnit.MILLISECONDS);
    }

    /**
     * Connects for commands. All threads share one connection to each server, which reconnects automatically.
     *
     * @return a connected link; the caller must close it
     * @throws RuntimeException if Redis cannot be reached
     */
    Link connect() {
        startThreads();
        return new Link(factory(configuration, client), isClustered());
    }

    /**
     * Creates a factory for one subscription, which is not connected yet.
     *
     * @return the factory; the caller must destroy it
     */
    LettuceConnectionFactory forSignals() {
        LettuceConnectionFactory factory = factory(configurationForSignals(), client);
        factory.setShareNativeConnection(false); // the subscription is the only connection needed
        factory.afterPropertiesSet();
        return factory;
    }

    /** Takes one node of a static list: replicas forward the messages published on their master. */
    private RedisConfiguration configurationForSignals() {
        if (!(configuration instanceof RedisStaticMasterReplicaConfiguration list)) {
            return configuration;
        }
        List<RedisStandaloneConfiguration> nodes = list.getNodes();
        RedisStandaloneConfiguration node = nodes.get(Math.floorMod(signalFactories.getAndIncrement(), nodes.size()));
        RedisStandaloneConfiguration one = new RedisStandaloneConfiguration(node.getHostName(), node.getPort());
        one.setDatabase(list.getDatabase());
        one.setUsername(list.getUsername());
        one.setPassword(list.getPassword());
        return one;
    }

    /**
     * Connects to a master for commands whose replication is awaited. The caller must close the connection.
     *
     * @param node the master in a Cluster; otherwise null
     * @throws RuntimeException if the master cannot be reached
     */
    MasterConnection connectToMaster(@Nullable RedisNode node) {
        startThreads();
        RedisConfiguration server = configuration;
        if (node != null) {
            RedisStandaloneConfiguration one =
                    new RedisStandaloneConfiguration(String.valueOf(node.getHost()), node.getRequiredPort());
            RedisConfiguration.WithAuthentication cluster = (RedisConfiguration.WithAuthentication) configuration;
            one.setUsername(cluster.getUsername());
            one.setPassword(cluster.getPassword());
            server = one;
        }
        LettuceConnectionFactory factory = factory(server, masterClient);
        factory.setShareNativeConnection(false);
        factory.afterPropertiesSet();
        return new MasterConnection(factory);
    }

    private static LettuceConnectionFactory factory(RedisConfiguration server, LettuceClientConfiguration client) {
        return server instanceof RedisStandaloneConfiguration standalone
                ? new LettuceConnectionFactory(standalone, client)
                : new LettuceConnectionFactory(server, client);
    }

    /** The Redis server as error messages name it, such as {@code Redis at 127.0.0.1:6379}. */
    String server() {
        return ServerAddress.of(configuration);
    }

    /** Whether Redis is a Cluster, in which the hash slot of a script's first key selects the server. */
    boolean isClustered() {
        return RedisConfiguration.isClusterConfiguration(configuration);
    }

    /** Closes the resources that all connections of this client share. */
    @Override
    public void close() {
        resources.shutdown();
    }
}
