package io.delayqueue.documentation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.documentation.MarkdownPage.Block;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.io.StringReader;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/**
 * All Java of the documentation compiles, and the README's quick start runs. A block is a compilation unit, members of a
 * class, statements, or statements followed by members. Names that it does not declare are those of {@link Names}. Left
 * out are blocks whose comment names a test of another module, which has the libraries that they use.
 */
@EmbeddedRedis
@ExtendWith(OutputCaptureExtension.class)
class JavaExamplesTests {

    private static final String QUICK_START = "<!-- quick start:";
    private static final String QUICK_START_DELAY = "Duration.ofSeconds(5)";

    @TempDir
    private static Path folder;

    private static List<Block> blocks;
    private static List<String> errors;

    @BeforeAll
    static void compile() throws Exception {
        blocks = MarkdownPage.blocks("java").stream()
                .filter(block -> !block.comment().startsWith("<!-- compiled and run by"))
                .map(block -> block.comment().startsWith(QUICK_START) ? withALongDelay(block) : block)
                .toList();
        errors = new JavaExamples(blocks).compile(folder);
    }

    private static Block withALongDelay(Block block) {
        assertThat(block.text()).containsOnlyOnce(QUICK_START_DELAY);
        return new Block(
                block.page(),
                block.line(),
                block.language(),
                block.comment(),
                block.text().replace(QUICK_START_DELAY, "Duration.ofHours(1)"));
    }

    @Test
    void eachBlockCompiles() {
        assertThat(errors).isEmpty();
        assertThat(blocks).hasSizeGreaterThan(40);
    }

    @Test
    void quickStartCancelsTheUnpaidOrder(RedisServerProcess redis, CapturedOutput output) throws Exception {
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
            SpringApplication application =
                    new SpringApplication(loader.loadClass("com.example.orders.OrdersApplication"));
            application.setWebApplicationType(WebApplicationType.NONE);
            Properties properties = new Properties();
            properties.load(new StringReader(quickStartProperties().text()));
            application.setDefaultProperties(properties);
            try (var context = application.run(
                    "--spring.data.redis.host=" + redis.host(), "--spring.data.redis.port=" + redis.port())) {
                assertThat(output).contains("Order 4711 is placed", "Order 4712 is placed", "Order 4712 is paid");
                DelayQueueTemplate delayQueue = context.getBean(DelayQueueTemplate.class);
                assertThat(delayQueue.find("order-cancel", "4712")).isEmpty();
                assertThat(delayQueue.reschedule("order-cancel", "4711", Duration.ZERO))
                        .isEqualTo(RescheduleOutcome.RESCHEDULED);
                await().until(() -> output.getOut().contains("Order 4711 is cancelled"));
                assertThat(output).doesNotContain("Order 4712 is cancelled");
            }
        }
    }

    private static Block quickStartProperties() {
        return MarkdownPage.read(Path.of("README.md")).blocks().stream()
                .filter(block -> block.language().equals("properties"))
                .findFirst()
                .orElseThrow();
    }
}
