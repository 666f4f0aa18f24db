package io.delayqueue.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.actuate.EndpointNode.Reply;
import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;

/** The endpoint while Redis is unavailable. */
@Tag("long")
@Tag("core")
class EndpointOutageTests {

    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(200);

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void unresponsiveRedisIsReportedAfterTheCommandTimeout(WebApplicationType stack) {
        try (RedisServerProcess server = RedisServerProcess.start();
                FaultProxy proxy = FaultProxy.inFrontOf(server);
                EndpointNode node = EndpointNode.start(
                        stack,
                        "/actuator/delayqueue",
                        "spring.data.redis.host=" + proxy.host(),
                        "spring.data.redis.port=" + proxy.port(),
                        "delayqueue.redis.command-timeout=" + COMMAND_TIMEOUT.toMillis() + "ms",
                        "management.endpoint.delayqueue.access=unrestricted")) {
            // the first calls may take longer than the short timeout
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(node.view("").status()).isEqualTo(200));
            proxy.blackHole(Direction.values());

            Instant begin = Instant.now();
            unknown(node.act("cancel", "topic", "orders", "id", "a"));
            for (String view : new String[] {"", "topic", "messages", "dead", "upcoming"}) {
                unavailable(view.isEmpty() ? node.view("") : node.view(view, "topic", "orders"));
            }
            unavailable(node.view("message", "topic", "orders", "id", "a"));
            unavailable(node.act("start-job", "action", "purge", "topic", "orders"));
            unavailable(node.act("pause", "topic", "orders"));
            assertThat(node.act("pause", "listener", "worker").status()).isEqualTo(200);
            assertThat(Duration.between(begin, Instant.now()))
                    .as("nine responses")
                    .isLessThan(COMMAND_TIMEOUT.multipliedBy(9 * 3));

            proxy.pass();
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(node.view("").status()).isEqualTo(200));
        }
    }

    private static void unknown(Reply reply) {
        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.outcome()).isEqualTo("unknown");
        assertThat(reply.detail())
                .startsWith(
                        "It is unknown whether the action was performed. Check the state before you repeat it. Cancelling ")
                .contains(" failed: ");
    }

    private static void unavailable(Reply reply) {
        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.detail()).containsPattern("[A-Z][a-z]+ing .* failed: ");
    }
}
