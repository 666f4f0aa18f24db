package io.delayqueue.test;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What the queue logs about a Redis for tests, which persists nothing. */
@ExtendWith(OutputCaptureExtension.class)
class QuietRedisTests {

    private static final String WARNING = "Redis writes no append-only file";

    @Test
    void missingPersistenceIsNotLogged(CapturedOutput output) {
        start();

        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void propertyOfTheApplicationTakesPrecedence(CapturedOutput output) {
        start("--delayqueue.redis.warn-without-persistence=true");

        assertThat(output).containsOnlyOnce(WARNING);
    }

    private static void start(String... arguments) {
        new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(arguments)
                .close();
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {}
}
