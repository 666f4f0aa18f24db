package io.delayqueue.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.documentation.MarkdownPage.Block;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.SystemClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The commands of Redis in the documentation, on a real server. */
@EmbeddedRedis
class RedisExamplesTests {

    private final RedisServerProcess redis;

    RedisExamplesTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @EnableAutoConfiguration
    static class Application {}

    private ConfigurableApplicationContext start(String... properties) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties("spring.data.redis.host=" + redis.host(), "spring.data.redis.port=" + redis.port())
                .properties(properties)
                .run();
    }

    private static Block block(String page, String comment) {
        return MarkdownPage.read(Path.of(page)).blocks().stream()
                .filter(block -> block.comment().startsWith(comment))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void keysAreThoseOfTheInternals() {
        Instant dueAt = SystemClock.now().plus(Duration.ofMinutes(30)).truncatedTo(ChronoUnit.MILLIS);
        try (ConfigurableApplicationContext context = start()) {
            context.getBean(DelayQueueTemplate.class)
                    .send(DelayMessage.to("order-cancel")
                            .id("order-4711")
                            .payload(new Order("4711"))
                            .header("tags", "vip")
                            .dueAt(dueAt)
                            .build());
            List<String> commands = block("docs/internals.md", "<!-- keys:")
                    .text()
                    .lines()
                    .filter(line -> line.startsWith("127.0.0.1:6379> "))
                    .map(line -> line.substring("127.0.0.1:6379> ".length()))
                    .toList();

            assertThat(commands).hasSize(2);
            assertThat(String.valueOf(redis.command(commands.get(0).split(" "))))
                    .startsWith("1")
                    .endsWith("\ntags: vip\n\n{\"orderNo\":\"4711\"}");
            assertThat(redis.command(commands.get(1).split(" "))).isEqualTo(String.valueOf(dueAt.toEpochMilli()));
        }
    }

    record Order(String orderNo) {}
}
