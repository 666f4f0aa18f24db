package io.delayqueue.redis;

import static io.delayqueue.redis.OwnConnections.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.mockito.Mockito.mock;

import io.delayqueue.redis.QueueConnections.Settings;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

@EmbeddedRedis
class QueueConnectionsTests {

    private static final LuaScript PING = OwnConnections.script("ping", "return {redis.call('PING')}");

    private final RedisServerProcess redis;

    QueueConnectionsTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @Test
    void missingPasswordNamesItsProperty() throws Exception {
        try (RedisServerProcess protectedRedis =
                        RedisServerProcess.builder().password("secret").start();
                OwnConnections own =
                        OwnConnections.of(new LettuceConnectionFactory("127.0.0.1", protectedRedis.port()))) {
            assertThat(catchThrowableOfType(
                            RedisCallException.class,
                            () -> Await.call(() -> own.scripts().run(new ScriptCall(PING)))))
                    .hasMessageContaining("NOAUTH")
                    .hasMessageContaining("spring.data.redis.password");
        }
    }

    @Test
    void serverThatIsNoRedisIsNamed() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread replies = new Thread(() -> {
                try {
                    while (true) {
                        Socket client = server.accept();
                        client.getOutputStream().write("<html>".getBytes(StandardCharsets.US_ASCII));
                    }
                } catch (IOException closed) {
                    // the test has ended
                }
            });
            replies.start();
            try (OwnConnections own =
                    OwnConnections.of(new LettuceConnectionFactory("127.0.0.1", server.getLocalPort()))) {
                assertThat(catchThrowableOfType(
                                RedisCallException.class,
                                () -> Await.call(() -> own.scripts().run(new ScriptCall(PING)))))
                        .hasMessageContaining("the port does not speak Redis");
            }
        }
    }

    @Test
    void passwordDatabaseAndClientNameAreTheApplications() throws Exception {
        try (RedisServerProcess protectedRedis =
                RedisServerProcess.builder().password("secret").start()) {
            RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("127.0.0.1", protectedRedis.port());
            server.setPassword("secret");
            server.setDatabase(3);
            LettuceClientConfiguration client =
                    LettuceClientConfiguration.builder().clientName("shop").build();
            try (OwnConnections own = OwnConnections.of(new LettuceConnectionFactory(server, client))) {
                Await.call(() -> own.scripts()
                        .run(new ScriptCall(
                                OwnConnections.script("set", "return {redis.call('SET', KEYS[1], 1)}"), bytes("k"))));

                assertThat(protectedRedis.info("keyspace")).containsOnlyKeys("db3");
                assertThat((String) protectedRedis.command("CLIENT", "LIST")).containsPattern("name=shop .*db=3 ");
            }
            try (OwnConnections own = OwnConnections.lettuce(protectedRedis.port())) {
                RedisCallException failure = catchThrowableOfType(
                        RedisCallException.class,
                        () -> Await.call(() -> own.scripts().run(new ScriptCall(PING, bytes("k")))));

                assertThat(failure.kind()).isEqualTo(Kind.NOT_SENT);
                assertThat(failure).hasMessageContaining("NOAUTH");
            }
        }
    }

    @Test
    void factoryWithoutAServerConfigurationIsRejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new QueueConnections(
                        mock(LettuceConnectionFactory.class), Settings.defaults(), System::nanoTime))
                .withMessage("it does not expose its server configuration");
    }

    @Test
    void subclassOfTheFactoryIsDerivedFrom() throws Exception {
        try (OwnConnections own = OwnConnections.of(new LettuceConnectionFactory("127.0.0.1", redis.port()) {})) {
            assertThat(Await.call(() -> own.scripts().run(new ScriptCall(PING))))
                    .containsExactly(bytes("PONG"));
        }
    }

    @Test
    void limitsAreLongerThanNothing() {
        Stream.of(Duration.ZERO, Duration.ofSeconds(-1)).forEach(wrong -> {
            assertThatIllegalArgumentException().isThrownBy(() -> new Settings(wrong, Duration.ofSeconds(1)));
            assertThatIllegalArgumentException().isThrownBy(() -> new Settings(Duration.ofSeconds(1), wrong));
        });
    }

    @Test
    void shorterLimitOfTheApplicationStays() {
        Map<Integer, Integer> limits = Map.of(60, 5, 2, 2, 0, 5, -1, 5);
        UnaryOperator<Duration> shorter = Settings.defaults()::atMost;
        limits.forEach((application, own) ->
                assertThat(shorter.apply(Duration.ofSeconds(application))).isEqualTo(Duration.ofSeconds(own)));
    }
}
