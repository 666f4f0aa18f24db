package io.delayqueue.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.redis.QueueConnections.Settings;
import io.delayqueue.test.redis.RedisServerProcess;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions.RefreshTrigger;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/** What the queue's factories take over from the application's. None of these connects. */
class DerivedFactoryTests {

    @Test
    void serverConfigurationIsTheApplications() {
        RedisStandaloneConfiguration standalone = new RedisStandaloneConfiguration("redis.example", 1234);
        assertThat(derived(standalone).getStandaloneConfiguration()).isSameAs(standalone);
        RedisSentinelConfiguration sentinel =
                new RedisSentinelConfiguration().master("main").sentinel("a.example", 1);
        assertThat(derived(sentinel).getSentinelConfiguration()).isSameAs(sentinel);
        RedisClusterConfiguration cluster = new RedisClusterConfiguration().clusterNode("a.example", 1);
        assertThat(derived(cluster).getClusterConfiguration()).isSameAs(cluster);
        RedisSocketConfiguration socket = new RedisSocketConfiguration("/run/redis.sock");
        assertThat(derived(socket).getSocketConfiguration()).isSameAs(socket);
    }

    @Test
    void signalsOfAStaticListComeFromAnyOfItsNodes() {
        RedisStaticMasterReplicaConfiguration list =
                new RedisStaticMasterReplicaConfiguration("a.example", 1).node("b.example", 2);
        list.setPassword("secret");
        list.setDatabase(7);
        LettuceConnectionFactory application =
                new LettuceConnectionFactory(list, LettuceClientConfiguration.defaultConfiguration());

        try (QueueConnections connections = connections(application)) {
            List<String> hosts = Stream.generate(() -> {
                        LettuceConnectionFactory factory = connections.client().forSignals();
                        assertThat(factory.getPassword()).isEqualTo("secret");
                        assertThat(factory.getDatabase()).isEqualTo(7);
                        factory.destroy();
                        return factory.getHostName() + ":" + factory.getPort();
                    })
                    .limit(3)
                    .toList();
            assertThat(hosts).containsExactly("a.example:1", "b.example:2", "a.example:1");
        }
    }

    @Test
    void clientSettingsAreTheApplications() {
        RedisCredentialsProviderFactory credentials = new RedisCredentialsProviderFactory() {};
        SslOptions ssl =
                SslOptions.builder().jdkSslProvider().protocols("TLSv1.3").build();
        ClientOptions options = ClientOptions.builder()
                .sslOptions(ssl)
                .pingBeforeActivateConnection(false)
                .autoReconnect(false)
                .socketOptions(SocketOptions.builder().tcpNoDelay(false).build())
                .build();
        LettuceClientConfiguration client = LettuceClientConfiguration.builder()
                .clientName("shop")
                .clientOptions(options)
                .redisCredentialsProviderFactory(credentials)
                .shutdownTimeout(Duration.ofMillis(70))
                .useSsl()
                .verifyPeer(SslVerifyMode.CA)
                .startTls()
                .build();

        LettuceClientConfiguration own = derived(client).getClientConfiguration();

        assertThat(own.getClientName()).contains("shop");
        assertThat(own.isUseSsl()).isTrue();
        assertThat(own.isStartTls()).isTrue();
        assertThat(own.getVerifyMode()).isEqualTo(SslVerifyMode.CA);
        assertThat(own.getRedisCredentialsProviderFactory()).containsSame(credentials);
        assertThat(own.getShutdownTimeout()).isEqualTo(Duration.ofMillis(70));
        ClientOptions derived = own.getClientOptions().orElseThrow();
        assertThat(derived.getSslOptions()).isSameAs(ssl);
        assertThat(derived.isPingBeforeActivateConnection()).isFalse();
        assertThat(derived.getSocketOptions().isTcpNoDelay()).isFalse();
        assertThat(derived.isAutoReconnect()).isTrue();
    }

    @Test
    void limitsAreTheQueues() {
        LettuceClientConfiguration own =
                derived(LettuceClientConfiguration.defaultConfiguration()).getClientConfiguration();

        assertThat(own.getCommandTimeout()).isEqualTo(Duration.ofSeconds(5));
        ClientOptions options = own.getClientOptions().orElseThrow();
        assertThat(options.getSocketOptions().getConnectTimeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(options.getTimeoutOptions().isTimeoutCommands()).isTrue();
        ClientResources resources = own.getClientResources().orElseThrow();
        assertThat(LongStream.rangeClosed(1, 100)
                        .mapToObj(attempt -> resources.reconnectDelay().createDelay(attempt)))
                .allMatch(delay -> delay.compareTo(Duration.ofSeconds(1)) <= 0)
                .contains(Duration.ofSeconds(1));
    }

    @Test
    void mastersAreReadWhateverTheApplicationReads() {
        LettuceClientConfiguration client = LettuceClientConfiguration.builder()
                .readFrom(ReadFrom.REPLICA_PREFERRED)
                .build();
        assertThat(derived(client).getClientConfiguration().getReadFrom()).contains(ReadFrom.UPSTREAM);
        RedisClusterConfiguration cluster = new RedisClusterConfiguration().clusterNode("a.example", 1);
        assertThat(derived(new LettuceConnectionFactory(cluster, client))
                        .getClientConfiguration()
                        .getReadFrom())
                .isEmpty();
    }

    @Test
    void clusterRefreshesItsTopologyAtOnceWhenSomethingIsWrong() {
        ClusterTopologyRefreshOptions refresh = ClusterTopologyRefreshOptions.builder()
                .enablePeriodicRefresh(Duration.ofMinutes(3))
                .dynamicRefreshSources(false)
                .disableAllAdaptiveRefreshTriggers()
                .build();
        ClusterClientOptions options = ClusterClientOptions.builder()
                .topologyRefreshOptions(refresh)
                .validateClusterNodeMembership(false)
                .maxRedirects(9)
                .build();

        ClusterClientOptions own = clusterOptions(options);

        assertThat(own.getMaxRedirects()).isEqualTo(9);
        assertThat(own.getTopologyRefreshOptions().getRefreshPeriod()).isEqualTo(Duration.ofMinutes(3));
        assertThat(own.getTopologyRefreshOptions().isPeriodicRefreshEnabled()).isTrue();
        assertThat(own.getTopologyRefreshOptions().useDynamicRefreshSources()).isFalse();
        assertThat(own.getTopologyRefreshOptions().getAdaptiveRefreshTriggers()).contains(RefreshTrigger.values());
        assertThat(own.getTopologyRefreshOptions().getAdaptiveRefreshTimeout()).isEqualTo(Duration.ofSeconds(1));
        assertThat(own.getSocketOptions().getConnectTimeout()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void clusterKeepsTheTriggersThatTheApplicationChose() {
        ClusterTopologyRefreshOptions refresh = ClusterTopologyRefreshOptions.builder()
                .disableAdaptiveRefreshTrigger(RefreshTrigger.ASK_REDIRECT, RefreshTrigger.PERSISTENT_RECONNECTS)
                .build();
        ClusterClientOptions own = clusterOptions(
                ClusterClientOptions.builder().topologyRefreshOptions(refresh).build());

        assertThat(own.getTopologyRefreshOptions().getAdaptiveRefreshTriggers())
                .contains(RefreshTrigger.MOVED_REDIRECT)
                .doesNotContain(RefreshTrigger.ASK_REDIRECT, RefreshTrigger.PERSISTENT_RECONNECTS);
        assertThat(clusterOptions(ClientOptions.create())
                        .getTopologyRefreshOptions()
                        .getAdaptiveRefreshTriggers())
                .contains(RefreshTrigger.values());
    }

    @Test
    void threadsAreOwnAndThoseOfTheApplicationOutliveThem() throws Exception {
        ClientResources resources = ClientResources.create();
        LettuceClientConfiguration client =
                LettuceClientConfiguration.builder().clientResources(resources).build();
        try (RedisServerProcess redis = RedisServerProcess.start()) {
            RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("127.0.0.1", redis.port());
            OwnConnections own = OwnConnections.of(new LettuceConnectionFactory(server, client));
            ScriptCall call = new ScriptCall(RedisScriptsTests.INCREMENT, RedisScriptsTests.KEY);
            LettuceConnectionFactory derived =
                    Await.call(() -> own.connections().connect(call)).factory();
            assertThat(derived.getClientResources().eventLoopGroupProvider())
                    .isNotSameAs(resources.eventLoopGroupProvider());
            assertThat(derived.getClientResources()
                            .eventExecutorGroup()
                            .submit(() -> Thread.currentThread())
                            .get())
                    .isInstanceOf(Await.ClientThread.class);

            own.connections().close();

            assertThat(resources.eventExecutorGroup().isShuttingDown()).isFalse();
            assertThat(own.application().getConnection().ping()).isEqualTo("PONG");
            own.close();
        } finally {
            resources.shutdown(0, 1, TimeUnit.SECONDS).get();
        }
    }

    private static LettuceConnectionFactory derived(RedisConfiguration server) {
        return derived(new LettuceConnectionFactory(server, LettuceClientConfiguration.defaultConfiguration()));
    }

    private static LettuceConnectionFactory derived(LettuceClientConfiguration client) {
        return derived(new LettuceConnectionFactory(new RedisStandaloneConfiguration(), client));
    }

    private static ClusterClientOptions clusterOptions(ClientOptions options) {
        RedisClusterConfiguration cluster = new RedisClusterConfiguration().clusterNode("a.example", 1);
        LettuceClientConfiguration client =
                LettuceClientConfiguration.builder().clientOptions(options).build();
        return (ClusterClientOptions) derived(new LettuceConnectionFactory(cluster, client))
                .getClientConfiguration()
                .getClientOptions()
                .orElseThrow();
    }

    private static LettuceConnectionFactory derived(LettuceConnectionFactory application) {
        try (QueueConnections connections = connections(application)) {
            LettuceConnectionFactory own = connections.client().forSignals();
            own.destroy();
            return own;
        }
    }

    private static QueueConnections connections(LettuceConnectionFactory application) {
        return new QueueConnections(
                new LettuceClient(application, Settings.defaults()),
                Settings.defaults(),
                Runnable::run,
                System::nanoTime);
    }
}
