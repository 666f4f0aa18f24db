package io.delayqueue.redis;

import io.delayqueue.redis.QueueConnections.Settings;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.springframework.data.redis.connection.jedis.JedisClientBuilderCustomizer;
import org.springframework.data.redis.connection.jedis.JedisClientConfigBuilderCustomizer;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import redis.clients.jedis.builders.ClusterClientBuilder;

/**
 * The application's client configuration with the queue's time limits.
 *
 * @param application the application's configuration, which applies except for the time limits
 * @param settings the queue's time limits
 * @param subscriptionTimeout read timeout of a subscription's socket
 */
record JedisSettings(JedisClientConfiguration application, Settings settings, Duration subscriptionTimeout)
        implements JedisClientConfiguration {

    @Override
    public Optional<JedisClientConfigBuilderCustomizer> getClientConfigCustomizer() {
        return Optional.of(builder -> {
            application.getClientConfigCustomizer().ifPresent(customizer -> customizer.customize(builder));
            builder.connectionTimeoutMillis(Math.toIntExact(getConnectTimeout().toMillis()));
            builder.socketTimeoutMillis(Math.toIntExact(getReadTimeout().toMillis()));
            builder.blockingSocketTimeoutMillis(Math.toIntExact(subscriptionTimeout.toMillis()));
        });
    }

    @Override
    public Optional<JedisClientBuilderCustomizer> getClientCustomizer() {
        return Optional.of(builder -> {
            application.getClientCustomizer().ifPresent(customizer -> customizer.customize(builder));
            if (builder instanceof ClusterClientBuilder<?> cluster) {
                cluster.maxTotalRetriesDuration(getReadTimeout());
            }
        });
    }

    @Override
    public Duration getConnectTimeout() {
        return settings.atMost(application.getConnectTimeout());
    }

    @Override
    public Duration getReadTimeout() {
        return settings.atMost(application.getReadTimeout());
    }

    @Override
    public Optional<GenericObjectPoolConfig<?>> getPoolConfig() {
        return application.getPoolConfig().map(pool -> {
            GenericObjectPoolConfig<?> limited = pool.clone();
            limited.setMaxWait(settings.atMost(pool.getMaxWaitDuration()));
            return limited;
        });
    }

    @Override
    public boolean isUseSsl() {
        return application.isUseSsl();
    }

    @Override
    public Optional<SSLSocketFactory> getSslSocketFactory() {
        return application.getSslSocketFactory();
    }

    @Override
    public Optional<SSLParameters> getSslParameters() {
        return application.getSslParameters();
    }

    @Override
    public Optional<HostnameVerifier> getHostnameVerifier() {
        return application.getHostnameVerifier();
    }

    @Override
    public boolean isUsePooling() {
        return application.isUsePooling();
    }

    @Override
    public Optional<String> getClientName() {
        return application.getClientName();
    }
}
