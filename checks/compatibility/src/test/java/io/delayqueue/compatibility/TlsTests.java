package io.delayqueue.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.compatibility.Combination.Client;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.MessageRejectedException;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.data.redis.autoconfigure.JedisClientConfigurationBuilderCustomizer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Which certificates are rejected. The matrix shows that the right one is accepted. */
class TlsTests {

    private static final Map<String, String> QUIET =
            Map.of("logging.level.root", "error", "delayqueue.listener.drain-time", "1s");

    @ParameterizedTest
    @EnumSource
    void certificateOfAnUnknownAuthorityIsRejected(Client client) {
        try (RunningRedis redis = Access.start(TestServer.embedded(), Certificates.SERVER)) {
            Map<String, String> properties = new HashMap<>(redis.properties());
            properties.remove("spring.data.redis.ssl.bundle");
            properties.put("spring.data.redis.ssl.enabled", "true");
            RunningRedis withoutAuthority = new RunningRedis(redis.nodes(), redis, properties);
            assertRejected(
                    CompatibilityApplication.start(withoutAuthority, client, QUIET),
                    "unable to find valid certification path");
        }
    }

    @Test
    void certificateForAnotherHostIsRejectedByLettuce() {
        try (RunningRedis redis = Access.start(TestServer.embedded(), Certificates.OTHER_HOST)) {
            assertRejected(
                    CompatibilityApplication.start(redis, Client.LETTUCE, QUIET),
                    "No subject alternative DNS name matching localhost found");
        }
    }

    /** Spring Boot does not let Jedis compare the host name: this is what the page warns of. */
    @Test
    void certificateForAnotherHostIsAcceptedByJedis() {
        try (RunningRedis redis = Access.start(TestServer.embedded(), Certificates.OTHER_HOST);
                ConfigurableApplicationContext context = CompatibilityApplication.start(redis, Client.JEDIS, QUIET)) {
            assertThat(context.getBean(DelayQueueOperations.class)
                            .send("orders", "x")
                            .id())
                    .isNotEmpty();
        }
    }

    @Test
    void certificateForAnotherHostIsRejectedByJedisAsDocumented() {
        try (RunningRedis redis = Access.start(TestServer.embedded(), Certificates.OTHER_HOST)) {
            assertRejected(
                    CompatibilityApplication.start(VerifyingApplication.class, redis, Client.JEDIS, QUIET),
                    "No subject alternative DNS name matching localhost found");
        }
        try (RunningRedis redis = Access.start(TestServer.embedded(), Certificates.SERVER);
                ConfigurableApplicationContext context =
                        CompatibilityApplication.start(VerifyingApplication.class, redis, Client.JEDIS, QUIET)) {
            assertThat(context.getBean(DelayQueueOperations.class)
                            .send("orders", "x")
                            .id())
                    .isNotEmpty();
        }
    }

    private static void assertRejected(ConfigurableApplicationContext context, String reason) {
        try (context) {
            assertThatExceptionOfType(MessageRejectedException.class)
                    .isThrownBy(
                            () -> context.getBean(DelayQueueOperations.class).send("orders", "x"))
                    .withMessageContaining("cannot be reached")
                    .withMessageContaining(reason);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(CompatibilityApplication.class)
    static class VerifyingApplication {

        @Bean
        JedisClientConfigurationBuilderCustomizer hostNameVerification() {
            SSLParameters parameters = new SSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            return builder -> builder.useSsl().sslParameters(parameters);
        }
    }
}
