package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.ServerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A handler that ends the JVM, which waits for the stop of the listeners. */
@Tag("long")
@Tag("core")
class ExitInHandlerTests extends NodeTest {

    ExitInHandlerTests(RedisServerProcess redis) {
        super(redis);
    }

    /** A node whose shutdown hook stops it, as that of an application does. */
    static final class Exiting {

        public static void main(String[] arguments) {
            QueueNode node = QueueNode.on(Integer.parseInt(arguments[0])).start();
            ListenerOptions patient = ListenerOptions.DEFAULTS.toBuilder()
                    .drainTime(Duration.ofHours(1))
                    .build();
            ListenerContainer container = node.listen("t", patient, deliveries -> {
                System.exit(0);
                return CompletableFuture.completedFuture(null);
            });
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                container.stop().join();
                node.close();
            }));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void stopDoesNotWaitForAHandlerThatCalledExit(boolean suspect) {
        QueueNode sender = add(QueueNode.on(redis.port()));
        sender.template.send(message("t", "last"));
        if (suspect) {
            IsolationTests.suspect(redis, sender, "t", "last");
        }
        Path directory = ServerProcess.newDirectory("exit");
        try (ServerProcess process =
                ServerProcess.java(directory, Exiting.class, List.of(Integer.toString(redis.port())))) {
            await().untilAsserted(() ->
                    assertThat(process.isAlive()).as(process.output()).isFalse());
            assertThat(process.output()).containsOnlyOnce("called System.exit").doesNotContain("still handled after");
        } finally {
            ServerProcess.delete(directory);
        }
    }
}
