package io.delayqueue.autoconfigure;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import org.springframework.util.StringUtils;

/**
 * Lettuce's settings from Spring Boot's connection details, for an application whose connection factory is of another
 * library. Spring Boot makes them only for its own factory.
 *
 * @param details the server, its credentials and TLS
 * @param properties timeouts and the client name
 * @param beans contains the customizers for Lettuce
 */
record BootConnectionDetails(
        DataRedisConnectionDetails details, DataRedisProperties properties, ListableBeanFactory beans) {

    private static final String OF_PROPERTIES = "PropertiesDataRedisConnectionDetails";

    /** The connection details; null if Spring Boot's auto-configuration is absent. */
    static @Nullable BootConnectionDetails of(ListableBeanFactory beans) {
        DataRedisConnectionDetails details =
                beans.getBeanProvider(DataRedisConnectionDetails.class).getIfUnique();
        DataRedisProperties properties =
                beans.getBeanProvider(DataRedisProperties.class).getIfUnique();
        return details == null || properties == null ? null : new BootConnectionDetails(details, properties, beans);
    }

    /** Whether a property or a service connection names a server. Otherwise the details are those of localhost. */
    boolean nameAServer() {
        Environment environment = beans.getBean(Environment.class);
        return !details.getClass().getSimpleName().equals(OF_PROPERTIES)
                || properties.getUrl() != null
                || properties.getSentinel() != null
                || properties.getCluster() != null
                || properties.getMasterreplica() != null
                || environment.containsProperty("spring.data.redis.host")
                || environment.containsProperty("spring.data.redis.port");
    }

    /** The TLS settings of the SSL bundle; null without one. */
    @Nullable
    SslOptions tls() {
        SslBundle bundle = details.getSslBundle();
        if (bundle == null) {
            return null;
        }
        SslOptions.Builder tls = SslOptions.builder()
                .keyManager(bundle.getManagers().getKeyManagerFactory())
                .trustManager(bundle.getManagers().getTrustManagerFactory());
        String[] ciphers = bundle.getOptions().getCiphers();
        if (ciphers != null) {
            tls.cipherSuites(ciphers);
        }
        String[] protocols = bundle.getOptions().getEnabledProtocols();
        if (protocols != null) {
            tls.protocols(protocols);
        }
        return tls.build();
    }

    /** Creates a factory of Lettuce, which is not started. */
    LettuceConnectionFactory connectionFactory() {
        LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder();
        ClientOptions.Builder options = ClientOptions.builder();
        if (properties.getTimeout() != null) {
            client.commandTimeout(properties.getTimeout());
        }
        if (properties.getConnectTimeout() != null) {
            options.socketOptions(SocketOptions.builder()
                    .connectTimeout(properties.getConnectTimeout())
                    .build());
        }
        if (StringUtils.hasText(properties.getClientName())) {
            client.clientName(properties.getClientName());
        }
        SslOptions tls = tls();
        if (tls != null) {
            options.sslOptions(tls);
        }
        if (tls != null || StringUtils.startsWithIgnoreCase(properties.getUrl(), "rediss:")) {
            client.useSsl();
        }
        if (details.getPassword() != null) {
            client.redisCredentialsProviderFactory(new CurrentCredentials(details));
        }
        beans.getBeanProvider(LettuceClientOptionsBuilderCustomizer.class)
                .orderedStream()
                .forEach(customizer -> customizer.customize(options));
        client.clientOptions(options.build());
        beans.getBeanProvider(LettuceClientConfigurationBuilderCustomizer.class)
                .orderedStream()
                .forEach(customizer -> customizer.customize(client));
        RedisConfiguration server = server();
        return server instanceof RedisStandaloneConfiguration standalone
                ? new LettuceConnectionFactory(standalone, client.build())
                : new LettuceConnectionFactory(server, client.build());
    }

    private RedisConfiguration server() {
        DataRedisConnectionDetails.Sentinel sentinel = details.getSentinel();
        if (sentinel != null) {
            RedisSentinelConfiguration server = new RedisSentinelConfiguration();
            server.master(sentinel.getMaster());
            server.setSentinels(nodes(sentinel.getNodes()));
            server.setSentinelUsername(sentinel.getUsername());
            server.setSentinelPassword(RedisPassword.of(sentinel.getPassword()));
            server.setDatabase(sentinel.getDatabase());
            return authenticated(server);
        }
        DataRedisConnectionDetails.Cluster cluster = details.getCluster();
        if (cluster != null) {
            RedisClusterConfiguration server = new RedisClusterConfiguration();
            server.setClusterNodes(nodes(cluster.getNodes()));
            return authenticated(server);
        }
        DataRedisConnectionDetails.MasterReplica list = details.getMasterReplica();
        if (list != null) {
            Node first = list.getNodes().get(0);
            RedisStaticMasterReplicaConfiguration server =
                    new RedisStaticMasterReplicaConfiguration(first.host(), first.port());
            list.getNodes().stream().skip(1).forEach(node -> server.addNode(node.host(), node.port()));
            return authenticated(server);
        }
        DataRedisConnectionDetails.Standalone standalone = details.getStandalone();
        if (standalone == null) {
            throw new IllegalArgumentException("Spring Boot's connection details name no server");
        }
        RedisStandaloneConfiguration server =
                new RedisStandaloneConfiguration(standalone.getHost(), standalone.getPort());
        server.setDatabase(standalone.getDatabase());
        return authenticated(server);
    }

    private <C extends RedisConfiguration.WithAuthentication> RedisConfiguration authenticated(C server) {
        server.setUsername(details.getUsername());
        server.setPassword(RedisPassword.of(details.getPassword()));
        return (RedisConfiguration) server;
    }

    private static List<RedisNode> nodes(List<Node> nodes) {
        return nodes.stream()
                .map(node -> new RedisNode(node.host(), node.port()))
                .toList();
    }

    /** Reads the credentials each time that a connection is made. */
    private record CurrentCredentials(DataRedisConnectionDetails details) implements RedisCredentialsProviderFactory {

        @Override
        public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration server) {
            return RedisCredentialsProvider.from(
                    () -> RedisCredentials.just(details.getUsername(), details.getPassword()));
        }
    }
}
