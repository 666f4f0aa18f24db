package io.delayqueue.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration.JedisClientConfigurationBuilder;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.clients.jedis.DefaultRedisCredentials;

/** What a factory of Lettuce takes over from one of Jedis. None of these connects. */
class JedisSettingsTests {

    private final RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("redis.example", 1234);

    @Test
    void serverConfigurationIsThatOfJedis() {
        RedisSentinelConfiguration sentinel =
                new RedisSentinelConfiguration().master("main").sentinel("a.example", 1);
        RedisClusterConfiguration cluster = new RedisClusterConfiguration().clusterNode("a.example", 1);

        assertThat(lettuce(new JedisConnectionFactory(server)).getStandaloneConfiguration())
                .isSameAs(server);
        assertThat(lettuce(new JedisConnectionFactory(sentinel)).getSentinelConfiguration())
                .isSameAs(sentinel);
        assertThat(lettuce(new JedisConnectionFactory(cluster)).getClusterConfiguration())
                .isSameAs(cluster);
    }

    @Test
    void nameTimeoutsAndTlsAreThoseOfJedis() {
        LettuceClientConfiguration client = lettuce(builder -> builder.clientName("shop")
                        .readTimeout(Duration.ofSeconds(3))
                        .connectTimeout(Duration.ofSeconds(1))
                        .useSsl())
                .getClientConfiguration();

        assertThat(client.getClientName()).contains("shop");
        assertThat(client.getCommandTimeout()).isEqualTo(Duration.ofSeconds(3));
        ClientOptions options = client.getClientOptions().orElseThrow();
        assertThat(options.getSocketOptions().getConnectTimeout()).isEqualTo(Duration.ofSeconds(1));
        assertThat(client.isUseSsl()).isTrue();
        assertThat(client.getVerifyMode()).isEqualTo(SslVerifyMode.FULL);
    }

    @Test
    void unlimitedTimeoutsAndPoolsAreAccepted() {
        LettuceClientConfiguration client = lettuce(builder -> builder.readTimeout(Duration.ZERO)
                        .connectTimeout(Duration.ZERO)
                        .usePooling())
                .getClientConfiguration();

        assertThat(client.getCommandTimeout()).isZero();
        assertThat(client.isUseSsl()).isFalse();
    }

    @Test
    void passwordIsReadAtEachConnection() {
        server.setPassword("old");
        LettuceConnectionFactory lettuce = lettuce(builder -> {});
        assertThat(password(lettuce)).isEqualTo("old");

        server.setPassword(RedisPassword.of("new"));

        assertThat(password(lettuce)).isEqualTo("new");
    }

    @Test
    void credentialsProviderOfACustomizerIsAskedAtEachConnection() {
        AtomicReference<String> password = new AtomicReference<>("old");
        LettuceConnectionFactory lettuce = lettuce(builder -> builder.customizeClientConfig(
                client -> client.credentialsProvider(() -> new DefaultRedisCredentials("user", password.get()))));
        assertThat(password(lettuce)).isEqualTo("old");

        password.set("new");

        assertThat(password(lettuce)).isEqualTo("new");
    }

    @Test
    void protocolsAndCipherSuitesAreThoseOfJedis() {
        SSLParameters parameters = new SSLParameters(new String[] {"TLS_AES_128_GCM_SHA256"}, new String[] {"TLSv1.3"});

        SSLParameters own = tls(lettuce(builder -> builder.useSsl().sslParameters(parameters)));

        assertThat(own.getProtocols()).containsExactly("TLSv1.3");
        assertThat(own.getCipherSuites()).containsExactly("TLS_AES_128_GCM_SHA256");
        assertThat(own).isNotSameAs(parameters);
    }

    @Test
    void givenTlsSettingsReplaceASocketFactory() {
        JedisConnectionFactory jedis =
                jedis(builder -> builder.useSsl().sslSocketFactory(HttpsURLConnection.getDefaultSSLSocketFactory()));
        SslOptions tls = SslOptions.builder().protocols("TLSv1.3").build();

        assertThat(tls(JedisSettings.toLettuce(jedis, tls)).getProtocols()).containsExactly("TLSv1.3");
    }

    @Test
    void settingWithoutACounterpartIsNamed() {
        SSLParameters constrained = new SSLParameters();
        constrained.setServerNames(List.of());
        SSLSocketFactory sockets = HttpsURLConnection.getDefaultSSLSocketFactory();
        Map<String, Consumer<JedisClientConfigurationBuilder>> settings = Map.of(
                "SSLSocketFactory", builder -> builder.useSsl().sslSocketFactory(sockets),
                "HostnameVerifier", builder -> builder.useSsl().hostnameVerifier((host, session) -> true),
                "SSLParameters with server names or constraints",
                        builder -> builder.useSsl().sslParameters(constrained),
                "SslOptions",
                        builder -> builder.useSsl()
                                .and()
                                .customizeClientConfig(client -> client.sslOptions(
                                        redis.clients.jedis.SslOptions.builder().build())),
                "HostAndPortMapper",
                        builder -> builder.customizeClientConfig(client -> client.hostAndPortMapper(host -> host)),
                "database of a JedisClientConfigBuilderCustomizer",
                        builder -> builder.customizeClientConfig(client -> client.database(3)),
                "JedisClientBuilderCustomizer", builder -> builder.customizeClient(client -> {}));

        settings.forEach((name, setting) -> assertThatIllegalArgumentException()
                .as(name)
                .isThrownBy(() -> lettuce(setting))
                .withMessage("its " + name + " has no counterpart in Lettuce, with which the delay queue connects"));
    }

    private JedisConnectionFactory jedis(Consumer<JedisClientConfigurationBuilder> settings) {
        JedisClientConfigurationBuilder client = JedisClientConfiguration.builder();
        settings.accept(client);
        return new JedisConnectionFactory(server, client.build());
    }

    private LettuceConnectionFactory lettuce(Consumer<JedisClientConfigurationBuilder> settings) {
        return lettuce(jedis(settings));
    }

    private static LettuceConnectionFactory lettuce(JedisConnectionFactory jedis) {
        return JedisSettings.toLettuce(jedis, null);
    }

    private static SSLParameters tls(LettuceConnectionFactory lettuce) {
        return lettuce.getClientConfiguration()
                .getClientOptions()
                .orElseThrow()
                .getSslOptions()
                .createSSLParameters();
    }

    private String password(LettuceConnectionFactory lettuce) {
        return String.valueOf(lettuce.getClientConfiguration()
                .getRedisCredentialsProviderFactory()
                .orElseThrow()
                .createCredentialsProvider(server)
                .resolveCredentials()
                .block()
                .getPassword());
    }
}
