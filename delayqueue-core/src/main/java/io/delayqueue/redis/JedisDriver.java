package io.delayqueue.redis;

import io.delayqueue.redis.QueueConnections.Settings;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import redis.clients.jedis.exceptions.JedisClusterOperationException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** The driver for Jedis: the application's server configuration and pool with the queue's time limits. */
final class JedisDriver implements Driver {

    private static final Set<String> NOT_SENT = Set.of(
            "Failed to connect",
            "Failed to create socket",
            "Could not get a resource",
            "Could not initialize cluster",
            "No reachable node",
            "No nodes to initialize");

    /** The read timeout of a subscription's socket. Canaries arrive far more often. */
    private static final Duration SUBSCRIPTION_TIMEOUT = Duration.ofSeconds(30);

    private final JedisConnectionFactory application;
    private final JedisClientConfiguration client;
    private final @Nullable RedisClusterConfiguration cluster;
    private final @Nullable RedisSentinelConfiguration sentinel;
    private final @Nullable RedisStandaloneConfiguration standalone;

    private JedisDriver(JedisConnectionFactory application, JedisClientConfiguration client) {
        this.application = application;
        this.client = client;
        this.cluster = application.getClusterConfiguration();
        this.sentinel = application.getSentinelConfiguration();
        this.standalone = application.getStandaloneConfiguration();
    }

    /**
     * Derives a driver from the application's factory.
     *
     * @throws RuntimeException if the factory does not expose its settings
     */
    static Driver derivedFrom(RedisConnectionFactory factory, Settings settings) {
        JedisConnectionFactory application = (JedisConnectionFactory) factory;
        JedisSettings client = new JedisSettings(application.getClientConfiguration(), settings, SUBSCRIPTION_TIMEOUT);
        JedisDriver driver = new JedisDriver(application, client);
        driver.factory();
        return driver;
    }

    @Override
    public RedisConnectionFactory forCommands() {
        JedisConnectionFactory factory = started();
        if (cluster == null) { // the factory of a cluster connects when it starts
            try (RedisConnection connection = factory.getConnection()) {
                connection.ping();
            } catch (RuntimeException e) {
                factory.destroy();
                throw e;
            }
        }
        return factory;
    }

    @Override
    public RedisConnectionFactory forSignals() {
        return started();
    }

    private JedisConnectionFactory started() {
        JedisConnectionFactory factory = factory();
        factory.afterPropertiesSet();
        return factory;
    }

    @Override
    public MasterConnection connectToMaster(@Nullable RedisNode node) {
        JedisConnectionFactory factory;
        if (node != null) {
            RedisStandaloneConfiguration one =
                    new RedisStandaloneConfiguration(String.valueOf(node.getHost()), node.getRequiredPort());
            if (cluster != null) {
                one.setUsername(cluster.getUsername());
                one.setPassword(cluster.getPassword());
            }
            factory = new JedisConnectionFactory(one, client);
        } else {
            factory = factory();
        }
        factory.setUseUnifiedJedis(false);
        factory.afterPropertiesSet();
        return new JedisMasterConnection(factory);
    }

    private JedisConnectionFactory factory() {
        JedisConnectionFactory factory;
        if (cluster != null) {
            factory = new JedisConnectionFactory(cluster, client);
        } else if (sentinel != null) {
            factory = new JedisConnectionFactory(sentinel, client);
        } else if (standalone != null) {
            factory = new JedisConnectionFactory(standalone, client);
        } else {
            throw new IllegalStateException("The connection factory does not expose its server configuration");
        }
        factory.setUseUnifiedJedis(application.isUseUnifiedJedis());
        return factory;
    }

    @Override
    public void release(RedisConnectionFactory factory) {
        ((JedisConnectionFactory) factory).destroy();
    }

    @Override
    public String server() {
        return ServerAddress.of(cluster != null ? cluster : sentinel != null ? sentinel : standalone);
    }

    @Override
    public boolean clustered() {
        return cluster != null;
    }

    /** Classifies an exception of Jedis; {@code null} if the exception says nothing about the command. */
    static RedisFailure.@Nullable Type typeOf(Throwable failure) {
        if (!(failure instanceof JedisException)) {
            return null;
        }
        if (failure instanceof JedisDataException) {
            return RedisFailure.Type.ERROR_REPLY;
        }
        String message = String.valueOf(failure.getMessage());
        if (NOT_SENT.stream().anyMatch(message::startsWith)) {
            return RedisFailure.Type.NOT_SENT;
        }
        if (failure instanceof JedisConnectionException) {
            return failure.getCause() instanceof SocketTimeoutException
                    ? RedisFailure.Type.TIMED_OUT
                    : RedisFailure.Type.BROKEN;
        }
        return failure instanceof JedisClusterOperationException ? RedisFailure.Type.BROKEN : null;
    }
}
