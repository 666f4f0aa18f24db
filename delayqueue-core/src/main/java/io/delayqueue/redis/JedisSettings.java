package io.delayqueue.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import java.time.Duration;
import java.util.function.Supplier;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.DefaultRedisCredentialsProvider;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisCredentials;

/**
 * Converts the settings of a Jedis connection factory into those of Lettuce. The only class that depends on Jedis, which
 * is optional.
 */
public final class JedisSettings {

    private JedisSettings() {}

    /**
     * Creates a factory of Lettuce with the server, credentials, database, client name, timeouts and TLS settings of a
     * factory of Jedis. A password that is later set on the configuration of the Jedis factory, or that its credentials
     * provider returns, applies to the connections made from then on. Settings of pools, retries and the protocol are
     * ignored. The host name in the server's certificate is verified, which Jedis does only on request.
     *
     * @param tls TLS settings in place of an {@code SSLSocketFactory}, which Lettuce cannot use; null if there are none
     * @return a factory that is not started
     * @throws IllegalArgumentException if a setting has no counterpart in Lettuce; the message names it
     */
    public static LettuceConnectionFactory toLettuce(JedisConnectionFactory jedis, @Nullable SslOptions tls) {
        RedisConfiguration server = serverOf(jedis);
        JedisClientConfig client = effective(jedis.getClientConfiguration());
        rejectUnless(client.getDatabase() == 0, "database of a JedisClientConfigBuilderCustomizer");
        rejectUnless(client.getAuthXManager() == null, "AuthXManager");
        rejectUnless(client.getHostAndPortMapper() == null, "HostAndPortMapper");
        rejectUnless(jedis.getClientConfiguration().getClientCustomizer().isEmpty(), "JedisClientBuilderCustomizer");

        ClientOptions.Builder options = ClientOptions.builder();
        if (client.getConnectionTimeoutMillis() > 0) {
            options.socketOptions(SocketOptions.builder()
                    .connectTimeout(Duration.ofMillis(client.getConnectionTimeoutMillis()))
                    .build());
        }
        LettuceClientConfigurationBuilder lettuce = LettuceClientConfiguration.builder()
                .commandTimeout(Duration.ofMillis(client.getSocketTimeoutMillis()))
                .redisCredentialsProviderFactory(credentials(client));
        if (client.getClientName() != null) {
            lettuce.clientName(client.getClientName());
        }
        if (client.isSsl()) {
            lettuce.useSsl();
            options.sslOptions(tls(client, tls));
        }
        lettuce.clientOptions(options.build());
        return server instanceof RedisStandaloneConfiguration standalone
                ? new LettuceConnectionFactory(standalone, lettuce.build())
                : new LettuceConnectionFactory(server, lettuce.build());
    }

    private static RedisConfiguration serverOf(JedisConnectionFactory jedis) {
        RedisConfiguration cluster = jedis.getClusterConfiguration();
        if (cluster != null) {
            return cluster;
        }
        RedisConfiguration sentinel = jedis.getSentinelConfiguration();
        RedisConfiguration server = sentinel != null ? sentinel : jedis.getStandaloneConfiguration();
        if (server == null) {
            throw new IllegalArgumentException("it does not expose its server configuration");
        }
        return server;
    }

    /** The settings as Jedis uses them, without the credentials and the database of the server's configuration. */
    private static JedisClientConfig effective(JedisClientConfiguration application) {
        DefaultJedisClientConfig.Builder client = DefaultJedisClientConfig.builder()
                .connectionTimeoutMillis(
                        Math.toIntExact(application.getConnectTimeout().toMillis()))
                .socketTimeoutMillis(
                        Math.toIntExact(application.getReadTimeout().toMillis()))
                .ssl(application.isUseSsl());
        application.getClientName().ifPresent(client::clientName);
        application.getSslSocketFactory().ifPresent(client::sslSocketFactory);
        application.getSslParameters().ifPresent(client::sslParameters);
        application.getHostnameVerifier().ifPresent(client::hostnameVerifier);
        application.getClientConfigCustomizer().ifPresent(customizer -> customizer.customize(client));
        return client.build();
    }

    /** Credentials that are read each time that a connection is made. */
    private static RedisCredentialsProviderFactory credentials(JedisClientConfig client) {
        Supplier<RedisCredentials> own = client.getCredentialsProvider();
        if (own instanceof DefaultRedisCredentialsProvider && own.get().getPassword() == null) {
            return new RedisCredentialsProviderFactory() {}; // reads those of the server's configuration
        }
        RedisCredentialsProvider provider = RedisCredentialsProvider.from(() -> {
            RedisCredentials present = own.get();
            return io.lettuce.core.RedisCredentials.just(present.getUser(), present.getPassword());
        });
        return new RedisCredentialsProviderFactory() {
            @Override
            public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
                return provider;
            }

            @Override
            public RedisCredentialsProvider createSentinelCredentialsProvider(
                    RedisSentinelConfiguration configuration) {
                return provider;
            }
        };
    }

    private static SslOptions tls(JedisClientConfig client, @Nullable SslOptions given) {
        rejectUnless(client.getSslSocketFactory() == null || given != null, "SSLSocketFactory");
        rejectUnless(client.getSslOptions() == null, "SslOptions");
        rejectUnless(client.getHostnameVerifier() == null, "HostnameVerifier");
        SslOptions.Builder options = given == null ? SslOptions.builder() : given.mutate();
        SSLParameters parameters = client.getSslParameters();
        if (parameters != null) {
            rejectUnless(
                    parameters.getServerNames() == null
                            && parameters.getSNIMatchers() == null
                            && parameters.getAlgorithmConstraints() == null,
                    "SSLParameters with server names or constraints");
            if (parameters.getProtocols() != null) {
                options.protocols(parameters.getProtocols());
            }
            if (parameters.getCipherSuites() != null) {
                options.cipherSuites(parameters.getCipherSuites());
            }
        }
        return options.build();
    }

    private static void rejectUnless(boolean condition, String setting) {
        if (!condition) {
            throw new IllegalArgumentException(
                    "its " + setting + " has no counterpart in Lettuce, with which the delay queue connects");
        }
    }
}
