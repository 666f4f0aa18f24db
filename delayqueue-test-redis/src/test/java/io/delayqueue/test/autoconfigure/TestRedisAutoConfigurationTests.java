package io.delayqueue.test.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.test.redis.RedisServerBuilder;
import io.delayqueue.test.redis.RedisServerProcess;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.connection.RedisServerCommands;
import org.springframework.data.redis.core.StringRedisTemplate;

class TestRedisAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(TestRedisAutoConfiguration.class, DataRedisAutoConfiguration.class));

    @Test
    void contextsShareOneServer() {
        this.runner.run((one) -> this.runner.run((two) -> {
            redis(one).opsForValue().set("shared", "value");
            assertThat(redis(two).opsForValue().get("shared")).isEqualTo("value");
        }));
    }

    @Test
    void serverOutlivesTheContext() {
        this.runner.run((context) -> redis(context).opsForValue().set("outlives", "value"));
        this.runner.run((context) ->
                assertThat(redis(context).opsForValue().get("outlives")).isEqualTo("value"));
    }

    @Test
    void databaseIsKept() {
        this.runner
                .withPropertyValues("spring.data.redis.database=3")
                .run((context) -> redis(context).opsForValue().set("database", "value"));
        this.runner.run(
                (context) -> assertThat(redis(context).hasKey("database")).isFalse());
    }

    @Test
    void credentialsAndTlsDoNotApply() {
        this.runner
                .withPropertyValues(
                        "spring.data.redis.username=user",
                        "spring.data.redis.password=secret",
                        "spring.data.redis.ssl.enabled=true")
                .run((context) -> assertThat(redis(context).hasKey("none")).isFalse());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spring.data.redis.url=redis://localhost:1",
                "spring.data.redis.host=localhost",
                "spring.data.redis.port=1",
                "spring.data.redis.sentinel.nodes=localhost:1",
                "spring.data.redis.cluster.nodes[0]=localhost:1",
                "spring.data.redis.masterreplica.nodes=localhost:1",
                "delayqueue-test.redis=none"
            })
    void isNotConfiguredIfAPropertySetsTheAddress(String property) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(TestRedisAutoConfiguration.class))
                .withPropertyValues(property)
                .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(DataRedisConnectionDetails.class));
    }

    @Test
    void emptyPropertyIsIgnored() {
        this.runner
                .withPropertyValues("spring.data.redis.host=")
                .run((context) -> assertThat(context).hasSingleBean(TestRedisConnectionDetails.class));
    }

    @Test
    void isNotConfiguredIfThereAreConnectionDetails() {
        try (RedisServerProcess own = RedisServerProcess.start()) {
            this.runner
                    .withBean(
                            DataRedisConnectionDetails.class,
                            () -> new TestRedisConnectionDetails(() -> new RedisAddress(own.host(), own.port()), 0))
                    .run((context) -> {
                        redis(context).opsForValue().set("key", "value");
                        assertThat(own.command("GET", "key")).isEqualTo("value");
                    });
        }
    }

    @Test
    void serverWithADirectoryKeepsItsData(@TempDir Path directory) {
        ApplicationContextRunner persistent =
                this.runner.withPropertyValues("delayqueue-test.redis-directory=" + directory);
        persistent.run((context) -> {
            redis(context).opsForValue().set("kept", "value");
            RedisServerCommands server =
                    redis(context).getConnectionFactory().getConnection().serverCommands();
            ProcessHandle process = ProcessHandle.of(
                            Long.parseLong(server.info("server").getProperty("process_id")))
                    .orElseThrow();
            server.shutdown();
            process.onExit().get(60, TimeUnit.SECONDS);
        });
        persistent.run((context) ->
                assertThat(redis(context).opsForValue().get("kept")).isEqualTo("value"));
        this.runner.run((context) -> assertThat(redis(context).hasKey("kept")).isFalse());
    }

    @Test
    void directoryOfAnotherRedisIsRejected(@TempDir Path directory) throws Exception {
        try (FileChannel lock =
                FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            assertThat(lock.tryLock()).isNotNull();
            JvmRedis redis = new JvmRedis(() -> false);
            assertThatExceptionOfType(TestRedisUnavailableException.class)
                    .isThrownBy(() -> redis.address(TestRedisMode.EMBEDDED, directory))
                    .withMessageContaining("The data in " + directory
                            + " (delayqueue-test.redis-directory) is in use by another Redis.");
        }
    }

    @Test
    void serverStartsWithTheFirstConnection() {
        JvmRedis none = new JvmRedis(() -> false);
        new TestRedisConnectionDetails(() -> none.address(TestRedisMode.DOCKER, Path.of("")), 0);
    }

    @Test
    void dockerRequiresAnEngine() {
        assertThatExceptionOfType(TestRedisUnavailableException.class)
                .isThrownBy(() -> new JvmRedis(() -> false).address(TestRedisMode.DOCKER, Path.of("")))
                .withMessageContaining("delayqueue-test.redis is docker, but no Docker engine replies");
    }

    @Test
    void platformWithoutExecutableFallsBackToDocker() {
        String os = System.setProperty("os.name", "Windows 11");
        // Set if the tests run with another server, which needs no embedded executable.
        String executable = System.clearProperty(RedisServerBuilder.EXECUTABLE_PROPERTY);
        try {
            assertThatExceptionOfType(TestRedisUnavailableException.class)
                    .isThrownBy(() -> new JvmRedis(() -> false).address(TestRedisMode.EMBEDDED, Path.of("")))
                    .withMessageContaining("There is no embedded Redis for Windows 11")
                    .withMessageContaining("and no Docker engine replies");
        } finally {
            System.setProperty("os.name", os);
            if (executable != null) {
                System.setProperty(RedisServerBuilder.EXECUTABLE_PROPERTY, executable);
            }
        }
    }

    @Test
    void failureSaysWhatToDo() {
        FailureAnalysis analysis = new TestRedisUnavailableFailureAnalyzer()
                .analyze(new IllegalStateException(
                        "Could not create bean", new TestRedisUnavailableException("No Redis.", null)));
        assertThat(analysis.getDescription()).isEqualTo("No Redis.");
        assertThat(analysis.getAction()).contains("Docker", "spring.data.redis.host", "delayqueue-test.redis");
    }

    @Test
    void unknownModeFailsTheStart() {
        this.runner
                .withPropertyValues("delayqueue-test.redis=floppy")
                .run((context) -> assertThat(context).getFailure().hasStackTraceContaining("delayqueue-test.redis"));
    }

    private static StringRedisTemplate redis(ApplicationContext context) {
        return context.getBean(StringRedisTemplate.class);
    }
}
