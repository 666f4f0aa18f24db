package io.delayqueue.compatibility;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.MessageRejectedException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Which certificates are rejected. The matrix shows that the right one is accepted. */
class TlsTests {

    private static final Map<String, String> QUIET =
            Map.of("logging.level.root", "error", "delayqueue.listener.drain-time", "1s");

    @ParameterizedTest
    @ValueSource(strings = {"lettuce", "jedis"})
    void certificateOfAnUnknownAuthorityIsRejected(String client) {
        try (RunningRedis redis = Access.start(TestServer.embedded(), Certificates.SERVER)) {
            Map<String, String> properties = new HashMap<>(redis.properties());
            properties.remove("spring.data.redis.ssl.bundle");
            properties.put("spring.data.redis.ssl.enabled", "true");
            RunningRedis withoutAuthority = new RunningRedis(redis.nodes(), redis, properties);
            assertRejected(start(withoutAuthority, client), "unable to find valid certification path");
        }
    }

    /** Spring Boot does not let Jedis compare the host name, but the queue connects with Lettuce. */
    @ParameterizedTest
    @ValueSource(strings = {"lettuce", "jedis"})
    void certificateForAnotherHostIsRejected(String client) {
        try (RunningRedis redis = Access.start(TestServer.embedded(), Certificates.OTHER_HOST)) {
            assertRejected(start(redis, client), "No subject alternative DNS name matching localhost found");
        }
    }

    private static ConfigurableApplicationContext start(RunningRedis redis, String client) {
        Map<String, String> properties = new HashMap<>(QUIET);
        properties.put("spring.data.redis.client-type", client);
        return CompatibilityApplication.start(redis, properties);
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
}
