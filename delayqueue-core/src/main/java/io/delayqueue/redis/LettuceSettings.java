package io.delayqueue.redis;

import io.delayqueue.redis.QueueConnections.Settings;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions.RefreshTrigger;
import io.lettuce.core.event.DefaultEventPublisherOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.tracing.Tracing;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceSslClientConfigurationBuilder;

/** Derives client settings of Lettuce from those of the application. */
final class LettuceSettings {

    private LettuceSettings() {}

    /**
     * The application's settings with the queue's own time limits, reconnect delay and read preference.
     *
     * @param application the application's settings
     * @param resources the queue's own event loops
     */
    static LettuceClientConfiguration derivedFrom(
            LettuceClientConfiguration application,
            RedisConfiguration configuration,
            ClientResources resources,
            Settings settings) {
        Duration timeout = settings.atMost(application.getCommandTimeout());
        ClientOptions options = application.getClientOptions().orElseGet(ClientOptions::create);
        return derivedFrom(
                application,
                configuration,
                resources,
                timeout,
                RedisConfiguration.isClusterConfiguration(configuration)
                        ? clusterOptions(options, timeout, settings)
                        : limited(options.mutate(), options, timeout).build());
    }

    /** Like {@link #derivedFrom}, for a connection to one master that never reconnects. The caller limits the time. */
    static LettuceClientConfiguration forOneMaster(
            LettuceClientConfiguration application,
            RedisConfiguration configuration,
            ClientResources resources,
            Settings settings) {
        Duration timeout = settings.atMost(application.getCommandTimeout());
        ClientOptions options = application.getClientOptions().orElseGet(ClientOptions::create);
        return derivedFrom(
                application,
                configuration,
                resources,
                timeout,
                limited(options.mutate(), options, timeout)
                        .autoReconnect(false)
                        .requestQueueSize(Integer.MAX_VALUE) // DurableCalls limits its pipelines
                        .timeoutOptions(TimeoutOptions.create())
                        .build());
    }

    private static LettuceClientConfiguration derivedFrom(
            LettuceClientConfiguration application,
            RedisConfiguration configuration,
            ClientResources resources,
            Duration timeout,
            ClientOptions options) {
        LettuceClientConfigurationBuilder derived = LettuceClientConfiguration.builder()
                .commandTimeout(timeout)
                .clientOptions(options)
                .clientResources(resources)
                .shutdownTimeout(application.getShutdownTimeout())
                .shutdownQuietPeriod(Duration.ZERO);
        application.getClientName().ifPresent(derived::clientName);
        application.getRedisCredentialsProviderFactory().ifPresent(derived::redisCredentialsProviderFactory);
        boolean findsMaster = RedisConfiguration.isClusterConfiguration(configuration)
                || RedisConfiguration.isSentinelConfiguration(configuration);
        if (!findsMaster && application.getReadFrom().isPresent()) {
            derived.readFrom(ReadFrom.UPSTREAM); // Lettuce looks for the master only if a read preference is set
        }
        if (application.isUseSsl()) {
            LettuceSslClientConfigurationBuilder ssl = derived.useSsl().verifyPeer(application.getVerifyMode());
            if (application.isStartTls()) {
                ssl.startTls();
            }
        }
        return derived.build();
    }

    /**
     * Creates resources with threads of their own and the event bus, latency recorder and name resolution of the
     * application. A callback of the application's client can thus wait for the queue. They are built from scratch,
     * because resources from {@code mutate} shut down the application's resources. The caller must shut down the result,
     * which does not affect the application.
     *
     * <p>Tracing is disabled: polls and heartbeats belong to no request, so each would start a trace of its own.
     */
    static ClientResources resources(@Nullable ClientResources application, Settings settings) {
        Delay delay = Delay.exponential(Duration.ZERO, settings.reconnectDelay(), 2, TimeUnit.MILLISECONDS);
        ClientResources.Builder builder =
                ClientResources.builder().reconnectDelay(delay).threadFactoryProvider(LettuceThreads::new);
        if (application != null) {
            builder.eventBus(application.eventBus())
                    .commandLatencyRecorder(application.commandLatencyRecorder())
                    .commandLatencyPublisherOptions(DefaultEventPublisherOptions.disabled())
                    .tracing(Tracing.disabled())
                    .nettyCustomizer(application.nettyCustomizer())
                    .socketAddressResolver(application.socketAddressResolver())
                    .addressResolverGroup(application.addressResolverGroup());
        }
        return builder.build();
    }

    /** The threads of the queue's client. */
    private static final class LettuceThreads extends DefaultThreadFactory {

        LettuceThreads(String pool) {
            super(pool, true);
        }

        @Override
        protected Thread newThread(Runnable task, String name) {
            return new LettuceThread(threadGroup, task, name);
        }
    }

    private static final class LettuceThread extends FastThreadLocalThread implements Await.ClientThread {

        LettuceThread(@Nullable ThreadGroup group, Runnable task, String name) {
            super(group, task, name);
        }
    }

    private static ClientOptions.Builder limited(
            ClientOptions.Builder builder, ClientOptions options, Duration timeout) {
        SocketOptions socket = options.getSocketOptions();
        Duration connect = socket.getConnectTimeout();
        return builder.autoReconnect(true)
                .timeoutOptions(TimeoutOptions.enabled(timeout))
                .socketOptions(socket.mutate()
                        .connectTimeout(connect.compareTo(timeout) < 0 ? connect : timeout)
                        .build());
    }

    private static ClientOptions clusterOptions(ClientOptions options, Duration timeout, Settings settings) {
        ClusterClientOptions.Builder builder = ClusterClientOptions.builder(options);
        limited(builder, options, timeout);
        ClusterTopologyRefreshOptions refresh = builder.build().getTopologyRefreshOptions();
        return builder.topologyRefreshOptions(prompt(refresh, settings)).build();
    }

    /**
     * The configured topology refresh, with a pause between adaptive refreshes that is not longer than the reconnect
     * delay.
     */
    private static ClusterTopologyRefreshOptions prompt(ClusterTopologyRefreshOptions refresh, Settings settings) {
        Duration pause = refresh.getAdaptiveRefreshTimeout();
        ClusterTopologyRefreshOptions.Builder builder = ClusterTopologyRefreshOptions.builder()
                .adaptiveRefreshTriggersTimeout(
                        pause.compareTo(settings.reconnectDelay()) < 0 ? pause : settings.reconnectDelay())
                .closeStaleConnections(refresh.isCloseStaleConnections())
                .dynamicRefreshSources(refresh.useDynamicRefreshSources())
                .enablePeriodicRefresh(refresh.isPeriodicRefreshEnabled())
                .refreshPeriod(refresh.getRefreshPeriod())
                .refreshTriggersReconnectAttempts(refresh.getRefreshTriggersReconnectAttempts());
        Set<RefreshTrigger> triggers = refresh.getAdaptiveRefreshTriggers();
        if (!triggers.isEmpty()) {
            EnumSet.allOf(RefreshTrigger.class).stream()
                    .filter(trigger -> !triggers.contains(trigger))
                    .forEach(builder::disableAdaptiveRefreshTrigger);
        }
        return builder.build();
    }
}
