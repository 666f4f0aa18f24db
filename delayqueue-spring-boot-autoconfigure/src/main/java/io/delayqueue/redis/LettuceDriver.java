package io.delayqueue.redis;

import io.delayqueue.redis.Verdict.Trouble;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import io.lettuce.core.cluster.PartitionException;
import io.lettuce.core.resource.ClientResources;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Lettuce, with the application's server configuration and client settings and the queue's time limits.
 *
 * <p>Commands of all threads share one connection to each server; it reconnects by itself.
 */
final class LettuceDriver implements Driver, Driver.Sender {

    private static final Set<String> NOT_SENT = Set.of(
            "Connection is closed",
            "Currently not connected",
            "Request queue size exceeded",
            "Command buffer size exceeded");

    private final RedisConfiguration configuration;
    private final LettuceClientConfiguration client;
    private final ClientResources resources;
    private final AtomicInteger signalFactories = new AtomicInteger();

    private LettuceDriver(
            RedisConfiguration configuration, LettuceClientConfiguration client, ClientResources resources) {
        this.configuration = configuration;
        this.client = client;
        this.resources = resources;
    }

    /**
     * Derives from a factory.
     *
     * @throws RuntimeException if the factory does not tell its settings
     */
    static Driver derivedFrom(RedisConnectionFactory factory, QueueConnections.Settings settings) {
        LettuceConnectionFactory application = (LettuceConnectionFactory) factory;
        RedisConfiguration configuration = configurationOf(application);
        LettuceClientConfiguration client = application.getClientConfiguration();
        ClientResources resources =
                LettuceSettings.resources(client.getClientResources().orElse(null), settings);
        return new LettuceDriver(
                configuration, LettuceSettings.derivedFrom(client, configuration, resources, settings), resources);
    }

    /** Only the field tells of each kind: there is no getter for static master and replicas. */
    private static RedisConfiguration configurationOf(LettuceConnectionFactory application) {
        Object value = new DirectFieldAccessor(application).getPropertyValue("configuration");
        if (value instanceof RedisConfiguration configuration) {
            return configuration;
        }
        throw new IllegalStateException("The connection factory does not tell which Redis it connects to");
    }

    @Override
    public RedisConnectionFactory forCommands() {
        LettuceConnectionFactory factory = factory(configuration);
        factory.afterPropertiesSet();
        try {
            factory.getConnection().close();
        } catch (RuntimeException e) {
            factory.destroy();
            throw e;
        }
        return factory;
    }

    @Override
    public RedisConnectionFactory forSignals() {
        LettuceConnectionFactory factory = factory(configurationForSignals());
        factory.setShareNativeConnection(false); // nothing but the subscription is to be connected
        factory.afterPropertiesSet();
        return factory;
    }

    /** Replicas pass on what is published on their master, so each node of a static list will do. */
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

    private LettuceConnectionFactory factory(RedisConfiguration server) {
        return server instanceof RedisStandaloneConfiguration standalone
                ? new LettuceConnectionFactory(standalone, client)
                : new LettuceConnectionFactory(server, client);
    }

    @Override
    public void release(RedisConnectionFactory factory) {
        ((LettuceConnectionFactory) factory).destroy();
    }

    @Override
    public boolean clustered() {
        return RedisConfiguration.isClusterConfiguration(configuration);
    }

    @Override
    public Sender sender() {
        return this;
    }

    @Override
    @SuppressWarnings("unchecked")
    public CompletionStage<?> send(RedisConnection connection, ScriptCall call, boolean whole) {
        RedisScriptingAsyncCommands<byte[], byte[]> commands =
                (RedisScriptingAsyncCommands<byte[], byte[]>) connection.getNativeConnection();
        return whole
                ? commands.eval(call.text(), ScriptOutputType.MULTI, call.keys(), call.values())
                : commands.evalsha(call.script().sha1(), ScriptOutputType.MULTI, call.keys(), call.values());
    }

    @Override
    public void close() {
        Future<?> ignored = resources.shutdown();
    }

    /** What an exception of Lettuce says about a command, or {@code null} if it says nothing. */
    static @Nullable Trouble trouble(Throwable failure) {
        if (failure instanceof RedisCommandExecutionException) {
            return Trouble.ANSWERED;
        }
        if (failure instanceof RedisCommandTimeoutException) {
            return Trouble.TIMED_OUT;
        }
        if (failure instanceof RedisConnectionException || failure instanceof PartitionException) {
            return Trouble.NOT_SENT;
        }
        String message = String.valueOf(failure.getMessage());
        boolean rejected =
                failure instanceof RedisException && NOT_SENT.stream().anyMatch(message::startsWith);
        return rejected ? Trouble.NOT_SENT : null;
    }
}
