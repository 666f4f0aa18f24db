package io.delayqueue.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.compatibility.CompatibilityApplication.Handlers;
import io.delayqueue.compatibility.CompatibilityApplication.Order;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueOperations;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.data.redis.autoconfigure.JedisClientConfigurationBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import reactor.core.publisher.Mono;
import redis.clients.jedis.DefaultRedisCredentials;

/** The password of the Redis user is replaced while messages are sent and handled. */
@ExtendWith(OutputCaptureExtension.class)
class RotationTests {

    private static final Duration WAIT = Duration.ofSeconds(40);

    private static final Map<String, String> QUIET =
            Map.of("logging.level.root", "error", "delayqueue.listener.drain-time", "1s");

    /** Lettuce reports a password that is no longer valid when the queue connects anew, after two timeouts. */
    private static final Map<String, String> SHORT_TIMEOUT = Map.of(
            "logging.level.root", "warn",
            "delayqueue.listener.drain-time", "1s",
            "delayqueue.redis.command-timeout", "2s");

    private final AtomicReference<String> password = CredentialsProviderApplication.PASSWORD;

    private RunningRedis redis;

    @BeforeEach
    void start() {
        redis = Access.start(TestServer.embedded(), Certificates.SERVER);
        password.set(Documented.PASSWORD);
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"lettuce", "jedis"})
    void applicationsWithTheOldAndTheNewPasswordRunTogether(String client) throws Exception {
        try (ConfigurableApplicationContext old = start(redis, client, QUIET)) {
            send(old, "1");
            acl(">renewed");
            Map<String, String> properties = new HashMap<>(redis.properties());
            properties.put("spring.data.redis.password", "renewed");
            RunningRedis renewed = new RunningRedis(redis.nodes(), redis, properties);
            try (ConfigurableApplicationContext restarted = start(renewed, client, QUIET)) {
                send(restarted, "2");
                Handlers handlersOfOld = old.getBean(Handlers.class);
                old.close();
                acl("<" + Documented.PASSWORD);
                redis.node().command("CLIENT", "KILL", "USER", Documented.USER);
                await().atMost(WAIT).ignoreExceptions().until(() -> send(restarted, "3"));
                List<String> handled = new ArrayList<>(handled(handlersOfOld));
                await().atMost(WAIT).untilAsserted(() -> {
                    handled.addAll(handled(restarted.getBean(Handlers.class)));
                    assertThat(handled).contains("1", "2", "3");
                });
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"lettuce", "jedis"})
    void removedPasswordIsReported(String client, CapturedOutput output) {
        try (ConfigurableApplicationContext old = start(redis, client, SHORT_TIMEOUT)) {
            await().atMost(WAIT).ignoreExceptions().until(() -> send(old, "1"));
            acl(">renewed", "<" + Documented.PASSWORD);
            redis.node().command("CLIENT", "KILL", "USER", Documented.USER);
            await().atMost(WAIT).untilAsserted(() -> {
                assertThatExceptionOfType(DelayQueueException.class).isThrownBy(() -> send(old, "2"));
                assertThat(output).contains("new ones are rejected until the error is corrected: WRONGPASS");
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"lettuce", "jedis"})
    void newPasswordIsReadFromTheProvider(String client) throws Exception {
        try (ConfigurableApplicationContext context =
                start(CredentialsProviderApplication.class, redis, client, QUIET)) {
            send(context, "1");
            acl(">renewed", "<" + Documented.PASSWORD);
            password.set("renewed");
            redis.node().command("CLIENT", "KILL", "USER", Documented.USER);

            await().atMost(WAIT).ignoreExceptions().until(() -> send(context, "2"));
            Handlers handlers = context.getBean(Handlers.class);
            assertThat(handlers.orders.poll(20, TimeUnit.SECONDS)).isNotNull();
            assertThat(handlers.orders.poll(20, TimeUnit.SECONDS)).isNotNull();
        }
    }

    private static ConfigurableApplicationContext start(
            RunningRedis redis, String client, Map<String, String> properties) {
        return start(CompatibilityApplication.class, redis, client, properties);
    }

    private static ConfigurableApplicationContext start(
            Class<?> application, RunningRedis redis, String client, Map<String, String> properties) {
        Map<String, String> all = new HashMap<>(properties);
        all.put("spring.data.redis.client-type", client);
        return CompatibilityApplication.start(application, redis, all);
    }

    private void acl(String... rules) {
        List<String> command = new ArrayList<>(List.of("ACL", "SETUSER", Documented.USER));
        command.addAll(List.of(rules));
        redis.node().command(command.toArray(String[]::new));
    }

    private static boolean send(ConfigurableApplicationContext context, String number) {
        context.getBean(DelayQueueOperations.class).send("orders", new Order(number));
        return true;
    }

    private static List<String> handled(Handlers handlers) {
        List<CompatibilityApplication.Handled> handled = new ArrayList<>();
        handlers.orders.drainTo(handled);
        return handled.stream().map(CompatibilityApplication.Handled::number).toList();
    }

    /** Asks for the password each time that it connects. */
    @Configuration(proxyBeanMethods = false)
    @Import(CompatibilityApplication.class)
    static class CredentialsProviderApplication {

        static final AtomicReference<String> PASSWORD = new AtomicReference<>("");

        @Bean
        JedisClientConfigurationBuilderCustomizer passwordFromTheVaultForJedis() {
            return builder -> builder.customizeClientConfig(client ->
                    client.credentialsProvider(() -> new DefaultRedisCredentials(Documented.USER, PASSWORD.get())));
        }

        @Bean
        LettuceClientConfigurationBuilderCustomizer passwordFromTheVault() {
            RedisCredentialsProvider provider =
                    () -> Mono.fromSupplier(() -> RedisCredentials.just(Documented.USER, PASSWORD.get()));
            return builder -> builder.redisCredentialsProviderFactory(new RedisCredentialsProviderFactory() {
                @Override
                public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
                    return provider;
                }
            });
        }
    }
}
