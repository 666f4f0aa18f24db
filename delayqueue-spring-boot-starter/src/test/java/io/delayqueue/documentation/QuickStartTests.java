package io.delayqueue.documentation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.documentation.MarkdownPage.Block;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.io.StringReader;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The README's quick start, compiled and run. */
@EmbeddedRedis
@ExtendWith(OutputCaptureExtension.class)
class QuickStartTests {

    private static final List<Block> BLOCKS =
            MarkdownPage.read(Path.of("README.md")).blocks();

    @TempDir
    private Path folder;

    @Test
    void theOrderIsCancelledAfterFiveSeconds(RedisServerProcess redis, CapturedOutput output) throws Exception {
        assertThat(new JavaExamples(List.of(application())).compile(folder)).isEmpty();
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
            SpringApplication application =
                    new SpringApplication(loader.loadClass("com.example.orders.OrdersApplication"));
            application.setWebApplicationType(WebApplicationType.NONE);
            Properties properties = new Properties();
            properties.load(new StringReader(properties().text()));
            application.setDefaultProperties(properties);
            try (var context = application.run(
                    "--spring.data.redis.host=" + redis.host(), "--spring.data.redis.port=" + redis.port())) {
                assertThat(output).contains("Order 4711 is placed");
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> output.getOut().contains("Order 4711 is cancelled"));
                assertThat(context.isRunning()).isTrue();
            }
        }
    }

    private static Block application() {
        return BLOCKS.stream()
                .filter(block -> block.comment().startsWith("<!-- quick start:"))
                .findFirst()
                .orElseThrow();
    }

    private static Block properties() {
        return BLOCKS.stream()
                .filter(block -> block.language().equals("properties"))
                .findFirst()
                .orElseThrow();
    }
}
