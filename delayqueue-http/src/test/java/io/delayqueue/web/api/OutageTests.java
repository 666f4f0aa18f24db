package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.web.api.ApiNode.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Responses while Redis is unavailable, and the permitted repeats. */
@Tag("long")
@Tag("http")
class OutageTests {

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);
    private static final String BODY = "{\"id\": \"a\", \"payload\": 1}";

    @Test
    void outageIsReportedAndARepeatIsSafe() {
        try (RedisServerProcess server = RedisServerProcess.start();
                FaultProxy proxy = FaultProxy.inFrontOf(server);
                ApiNode node = ApiNode.start(
                        "spring.data.redis.host=" + proxy.host(),
                        "spring.data.redis.port=" + proxy.port(),
                        "delayqueue.listener.auto-startup=false",
                        "delayqueue.redis.command-timeout=" + COMMAND_TIMEOUT.toMillis() + "ms")) {
            // the first calls may take longer than the short timeout
            await().atMost(ApiNode.MAX_WAIT)
                    .untilAsserted(() -> assertThat(node.send("orders", "{\"id\": \"held\", \"payload\": 1}")
                                    .status())
                            .isIn(201, 409));
            JsonNode held = node.receiveOne("orders");

            proxy.blackHole(Direction.values());
            Instant begin = Instant.now();
            unknown(node.send("orders", BODY));
            unknownOrNotDone(node.delete("/topics/orders/messages/x"));
            unknown(node.settle(held, "acknowledge", ""));
            unknown(node.settleAll(List.of(held, held), "acknowledge"));
            unknown(node.receive("orders", settling(held)));
            notDone(node.send("orders", BODY, IdempotencyKey.HEADER, "k"));
            notDone(node.get("/topics/orders/messages/x"));
            unknownOrNotDone(node.receive("orders", "{}"));
            System.out.printf("Eight responses without Redis took %s%n", Duration.between(begin, Instant.now()));

            proxy.pass();
            await().atMost(ApiNode.MAX_WAIT)
                    .untilAsserted(() -> assertThat(node.send("orders", BODY, IdempotencyKey.HEADER, "k")
                                    .status())
                            .isIn(201, 409));
            await().atMost(ApiNode.MAX_WAIT)
                    .untilAsserted(() -> assertThat(
                                    node.settle(held, "acknowledge", "").status())
                            .isEqualTo(410));
            assertThat(available(() -> node.get("/topics/orders/messages/held")).status())
                    .isEqualTo(404);
            assertThat(available(() -> node.settleAll(List.of(held), "acknowledge"))
                            .text())
                    .contains("\"outcome\":\"lease-lost\"");
        }
    }

    /** The first reply that is not about the short timeout. */
    private static Reply available(Callable<Reply> request) {
        return await().atMost(ApiNode.MAX_WAIT).until(request, reply -> reply.status() != 503 && reply.status() != 504);
    }

    private static String settling(JsonNode held) {
        return "{\"settlements\": [{\"receipt\": \"" + ApiNode.receipt(held) + "\", \"action\": \"acknowledge\"}]}";
    }

    private static void unknown(Reply reply) {
        passing(reply, 504, "outcome-unknown");
    }

    private static void notDone(Reply reply) {
        passing(reply, 503, "unavailable");
    }

    /** The request is not sent to Redis while a new connection is being opened. */
    private static void unknownOrNotDone(Reply reply) {
        if (reply.status() == 503) {
            notDone(reply);
        } else {
            unknown(reply);
        }
    }

    private static void passing(Reply reply, int status, String problem) {
        assertThat(reply.status()).as(reply.text()).isEqualTo(status);
        assertThat(reply.problem()).isEqualTo(problem);
        assertThat(reply.header("Retry-After")).isEqualTo("1");
    }
}
