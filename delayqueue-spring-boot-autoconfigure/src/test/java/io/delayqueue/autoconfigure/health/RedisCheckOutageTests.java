package io.delayqueue.autoconfigure.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.autoconfigure.QueueContexts;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

/** The check of a Redis that is unavailable or does not respond while the application starts. */
@Tag("long")
@Tag("core")
@ExtendWith(OutputCaptureExtension.class)
class RedisCheckOutageTests {

    private static final String EVICTS = "Redis may evict messages of the delay queue: its maxmemory-policy is '";

    /** A second, and three times the start of a context. */
    private static final Duration SOON = Duration.ofSeconds(9);

    private static ApplicationContextRunner on(int port) {
        return QueueContexts.withoutRedis()
                .withUserConfiguration(Texts.class)
                .withPropertyValues("spring.data.redis.port=" + port);
    }

    private static RedisServerProcess server(String policy) {
        return RedisServerProcess.builder().setting("maxmemory-policy", policy).start();
    }

    @Test
    void unavailableServerIsCheckedWhenItStarts(CapturedOutput output) {
        try (RedisServerProcess redis = server("allkeys-lru")) {
            redis.kill();
            on(redis.port()).run(context -> {
                assertThat(context).hasNotFailed();
                assertThat(output).doesNotContain(EVICTS);
                redis.restart();
                await().until(() -> output.toString().contains(EVICTS));
                // a running application is not stopped
                context.getBean(DelayQueueTemplate.class).send("texts", "text");
                assertThat(context.getBean(Texts.class).next()).isEqualTo("text");
            });
        }
        assertThat(output).containsOnlyOnce(EVICTS).contains("ERROR", "the next start of the application fails");
    }

    @Test
    void unresponsiveServerDelaysTheStartByASecond(CapturedOutput output) {
        try (RedisServerProcess redis = server("allkeys-lru");
                FaultProxy network = FaultProxy.inFrontOf(redis)) {
            network.blackHole(Direction.CLIENT_TO_SERVER);
            long begin = System.nanoTime();
            ApplicationContextRunner application =
                    on(network.port()).withPropertyValues("delayqueue.redis.command-timeout=1500ms");
            application.run(context -> {
                Duration took = Duration.ofNanos(System.nanoTime() - begin);
                System.out.println("start on an unresponsive Redis: " + took.toMillis() + " ms");
                assertThat(context).hasNotFailed();
                assertThat(took).isLessThan(SOON);
                network.pass();
                await().until(() -> output.toString().contains(EVICTS));
            });
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Texts {

        private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

        @DelayListener(topic = "texts", id = "texts")
        void handle(String text) {
            received.add(text);
        }

        String next() throws InterruptedException {
            return received.poll(60, TimeUnit.SECONDS);
        }
    }
}
