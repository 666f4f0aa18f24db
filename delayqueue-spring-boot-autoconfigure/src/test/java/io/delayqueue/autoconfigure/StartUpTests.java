package io.delayqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.test.redis.RedisServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** What an application with the starter does until it is ready, if it has no listener and sends nothing. */
class StartUpTests {

    private static final Duration MOST = Duration.ofSeconds(90);

    @TempDir
    private Path directory;

    @Test
    @Tag("long")
    @Tag("core")
    void startLoadsAndConnectsOnlyWhatItUses() throws Exception {
        try (RedisServerProcess redis = RedisServerProcess.start()) {
            Set<String> loaded = classesLoadedBy(Application.class, redis.port());

            assertThat(loaded)
                    .contains("io.delayqueue.template.DelayQueueTemplate")
                    .contains("io.delayqueue.actuate.dashboard.DelayQueueDashboardEndpoint")
                    .doesNotContain(
                            "io.delayqueue.store.script.SendScript",
                            "io.delayqueue.store.script.PollScript",
                            "io.delayqueue.container.ShardPoller",
                            "io.delayqueue.actuate.dashboard.DashboardFiles$Part");
            // one connection, which the check of Redis' settings needs
            assertThat(redis.info("commandstats").get("cmdstat_hello")).startsWith("calls=1,");
            assertThat(redis.info("commandstats")).doesNotContainKeys("cmdstat_subscribe", "cmdstat_psubscribe");
            assertThat(redis.command("DBSIZE")).isEqualTo(0L);
        }
    }

    /** Runs an application in a JVM of its own until it is ready. */
    private Set<String> classesLoadedBy(Class<?> application, int port) throws IOException, InterruptedException {
        Path log = directory.resolve("classes.log");
        Path output = directory.resolve("output.log");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:TieredStopAtLevel=1",
                        "-Xlog:class+load:file=" + log,
                        "-cp",
                        System.getProperty("java.class.path"),
                        application.getName(),
                        Integer.toString(port))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(MOST.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(Files.readString(output)).isZero();
        try (Stream<String> lines = Files.lines(log)) {
            return lines.map(line -> line.substring(line.lastIndexOf(']') + 1).strip())
                    .map(line -> line.split(" ", 2)[0])
                    .collect(Collectors.toSet());
        }
    }

    /** Ends as soon as it is ready. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        public static void main(String[] arguments) {
            ConfigurableApplicationContext ignored = new SpringApplicationBuilder(Application.class)
                    .properties(
                            "server.port=0",
                            "spring.main.web-application-type=servlet",
                            "spring.data.redis.port=" + arguments[0],
                            "delayqueue-test.redis=none",
                            "management.endpoints.web.exposure.include=*",
                            "management.endpoint.delayqueuedashboard.access=read-only")
                    .run();
            Runtime.getRuntime().halt(0);
        }
    }

    @Test
    void checkOfRedisBeginsWhileBeansAreCreated() {
        try (RedisServerProcess redis = RedisServerProcess.start()) {
            QueueContexts.withoutRedis()
                    .withPropertyValues("spring.data.redis.port=" + redis.port())
                    .withBean(SmartInitializingSingleton.class, () -> QueueContexts.untilRedisReplies(redis))
                    .run(context -> assertThat(context).hasNotFailed());
        }
    }
}
