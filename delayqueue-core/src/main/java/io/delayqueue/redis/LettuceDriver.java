package io.delayqueue.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.PartitionException;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.resource.ClientResources;
import io.netty.buffer.ByteBuf;
import io.netty.util.Timeout;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The driver for Lettuce: the application's server configuration and client settings with the queue's time limits.
 *
 * <p>All threads share one connection to each server. It reconnects automatically.
 */
final class LettuceDriver implements Driver {

    private static final Set<String> NOT_SENT = Set.of(
            "Connection is closed",
            "Currently not connected",
            "Request queue size exceeded",
            "Command buffer size exceeded");

    private final RedisConfiguration configuration;
    private final LettuceClientConfiguration client;
    private final LettuceClientConfiguration masterClient;
    private final ClientResources resources;
    private final AtomicInteger signalFactories = new AtomicInteger();

    private LettuceDriver(
            RedisConfiguration configuration,
            LettuceClientConfiguration client,
            LettuceClientConfiguration masterClient,
            ClientResources resources) {
        this.configuration = configuration;
        this.client = client;
        this.masterClient = masterClient;
        this.resources = resources;
    }

    /**
     * Derives a driver from the application's factory.
     *
     * @throws RuntimeException if the factory does not expose its settings
     */
    static Driver derivedFrom(RedisConnectionFactory factory, QueueConnections.Settings settings) {
        LettuceConnectionFactory application = (LettuceConnectionFactory) factory;
        RedisConfiguration configuration = configurationOf(application);
        LettuceClientConfiguration client = application.getClientConfiguration();
        ClientResources resources =
                LettuceSettings.resources(client.getClientResources().orElse(null), settings);
        return new LettuceDriver(
                configuration,
                LettuceSettings.derivedFrom(client, configuration, resources, settings),
                LettuceSettings.forOneMaster(client, configuration, resources, settings),
                resources);
    }

    /** Reads the field, because no getter returns the configuration of static masters and replicas. */
    private static RedisConfiguration configurationOf(LettuceConnectionFactory application) {
        Object value = new DirectFieldAccessor(application).getPropertyValue("configuration");
        if (value instanceof RedisConfiguration configuration) {
            return configuration;
        }
        throw new IllegalStateException("The connection factory does not expose its server configuration");
    }

    /**
     * Starts the threads for timeouts and reconnects. Otherwise Lettuce starts each thread when it is first needed, and
     * drops the task if no thread can be created: a command on a broken connection would then never complete.
     */
    private void startThreads() {
        resources.eventExecutorGroup().forEach(thread -> thread.execute(() -> {}));
        Timeout ignored = resources.timer().newTimeout(timeout -> {}, 0, TimeUnit.MILLISECONDS);
    }

    @Override
    public RedisConnectionFactory forCommands() {
        startThreads();
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

    @Override
    public MasterConnection connectToMaster(@Nullable RedisNode node) {
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
        return new LettuceMasterConnection(factory);
    }

    private LettuceConnectionFactory factory(RedisConfiguration server) {
        return factory(server, client);
    }

    private static LettuceConnectionFactory factory(RedisConfiguration server, LettuceClientConfiguration client) {
        return server instanceof RedisStandaloneConfiguration standalone
                ? new LettuceConnectionFactory(standalone, client)
                : new LettuceConnectionFactory(server, client);
    }

    @Override
    public void release(RedisConnectionFactory factory) {
        ((LettuceConnectionFactory) factory).destroy();
    }

    @Override
    public String server() {
        return ServerAddress.of(configuration);
    }

    @Override
    public boolean clustered() {
        return RedisConfiguration.isClusterConfiguration(configuration);
    }

    @Override
    public boolean sendsAsynchronously() {
        return true;
    }

    @Override
    @SuppressWarnings("unchecked")
    public CompletionStage<?> send(RedisConnection connection, ScriptCall call, boolean withText, Runnable onRepeat) {
        RedisClusterAsyncCommands<byte[], byte[]> commands =
                (RedisClusterAsyncCommands<byte[], byte[]>) connection.getNativeConnection();
        CommandArgs<byte[], byte[]> arguments = new ObservedArguments(onRepeat);
        if (withText) {
            arguments.add(call.text());
        } else {
            arguments.add(call.script().sha1());
        }
        // the keys select the server in a Cluster; the arguments need no codec
        arguments.add(call.keys().size()).addKeys(call.keys());
        call.arguments().forEach(arguments::add);
        return commands.dispatch(
                withText ? CommandType.EVAL : CommandType.EVALSHA,
                new NestedMultiOutput<>(ByteArrayCodec.INSTANCE),
                arguments);
    }

    @Override
    public void close() {
        Future<?> ignored = resources.shutdown();
    }

    /** Classifies an exception of Lettuce; {@code null} if the exception says nothing about the command. */
    static RedisFailure.@Nullable Type typeOf(Throwable failure) {
        if (failure instanceof RedisCommandExecutionException) {
            return RedisFailure.Type.ERROR_REPLY;
        }
        if (failure instanceof RedisCommandTimeoutException) {
            return RedisFailure.Type.TIMED_OUT;
        }
        if (failure instanceof RedisConnectionException || failure instanceof PartitionException) {
            return RedisFailure.Type.NOT_SENT;
        }
        String message = String.valueOf(failure.getMessage());
        boolean rejected =
                failure instanceof RedisException && NOT_SENT.stream().anyMatch(message::startsWith);
        return rejected ? RedisFailure.Type.NOT_SENT : null;
    }

    /** Arguments that tell when their command is written again. Lettuce encodes a command each time that it writes it. */
    private static final class ObservedArguments extends CommandArgs<byte[], byte[]> {

        private final Runnable onRepeat;
        private volatile boolean written;

        ObservedArguments(Runnable onRepeat) {
            super(ByteArrayCodec.INSTANCE);
            this.onRepeat = onRepeat;
        }

        @Override
        public void encode(ByteBuf buffer) {
            if (written) {
                onRepeat.run();
            }
            written = true;
            super.encode(buffer);
        }
    }
}
