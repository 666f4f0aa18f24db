package io.delayqueue.sample;

import static io.delayqueue.sample.Shop.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.test.redis.RedisServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.test.web.servlet.client.RestTestClient;

/**
 * The application as a process that is killed after the commit of an order and before the order's message is delivered.
 * The first process has no running listeners, so it cannot deliver the message.
 */
@Tag("long")
@Tag("core")
class KilledShopTests {

    private static final String CLOSED = "--delayqueue.listener.auto-startup=false";

    private static final Pattern ADDRESS = Pattern.compile("Open +(http://localhost:\\d+)\\s");

    @TempDir
    Path directory;

    private Process process;

    @AfterEach
    void kill() {
        if (process != null) {
            process.destroyForcibly().onExit().join();
        }
    }

    @Test
    void ordersAndMessagesSurvive() throws Exception {
        Shop shop = start(CLOSED);
        List<String> orders = List.of(shop.order("Teapot"), shop.order("Kettle"));

        kill();

        assertCancelledOnce(start(), orders);
    }

    @Test
    void messageThatRedisDidNotReceiveSurvives() throws Exception {
        try (RedisServerProcess redis =
                RedisServerProcess.builder().appendOnly().start()) {
            String port = "--spring.data.redis.port=" + redis.port();
            Shop shop = start(CLOSED, port, "--delayqueue.redis.command-timeout=300ms");
            String sent = shop.order("Teapot");
            redis.kill();
            String stored = shop.order("Kettle");

            kill();
            redis.restart();

            assertCancelledOnce(start(port), List.of(sent, stored));
        }
    }

    private static void assertCancelledOnce(Shop shop, List<String> orders) {
        for (String id : orders) {
            await().until(() -> shop.status(id).equals("CANCELLED"));
            assertThat(shop.journal(id))
                    .satisfiesExactly(
                            first -> assertThat(first).startsWith("Ordered: "),
                            second -> assertThat(second).startsWith("Cancelled: not paid in time."));
        }
    }

    private Shop start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                TestSampleApplication.class.getName(),
                "--sample.data=" + directory.resolve("shop"),
                "--sample.payment-window=1s",
                "--server.port=0"));
        command.addAll(List.of(arguments));
        Path log = Files.createTempFile(directory, "shop", ".log");
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        await().atMost(Duration.ofMinutes(2)).until(() -> !process.isAlive() || isOpen(log));
        String output = Files.readString(log);
        Matcher address = ADDRESS.matcher(output);
        assertThat(address.find()).as("%s", output).isTrue();
        return new Shop(RestTestClient.bindToServer().baseUrl(address.group(1)).build());
    }

    private static boolean isOpen(Path log) throws IOException {
        return ADDRESS.matcher(Files.readString(log)).find();
    }
}
