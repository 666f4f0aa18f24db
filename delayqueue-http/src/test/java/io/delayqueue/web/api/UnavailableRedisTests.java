package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.redis.QueueConnections;
import io.delayqueue.template.DelayQueueUnavailableException;
import io.delayqueue.template.OutcomeUnknownException;
import io.delayqueue.template.receive.Receipt;
import io.delayqueue.web.api.ApiNode.Reply;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Responses of both interfaces while Redis is unavailable. */
class UnavailableRedisTests {

    @Test
    void requestsAreNotExecuted() {
        String receipt = new Receipt("t", "a", "1.0.0.r-" + "0".repeat(40)).toString();
        String settlements = "\"settlements\": [{\"receipt\": \"" + receipt + "\", \"action\": \"acknowledge\"}]";
        try (ApiNode node = ApiNode.start(
                "delayqueue.http.compat.enabled=true",
                "delayqueue.http.compat.base-path=" + ApiNode.JOBS,
                "delayqueue.http.compat.max-wait=10ms",
                "delayqueue.listener.auto-startup=false")) {
            node.bean(QueueConnections.class).close();

            for (Reply reply : List.of(
                    node.send("t", "{\"id\": \"a\", \"payload\": 1}"),
                    node.send("t", "{\"payload\": 1}", IdempotencyKey.HEADER, "k"),
                    node.get("/topics/t/messages/a"),
                    node.delete("/topics/t/messages/a"),
                    node.put("/topics/t/schedules/a", "{\"every\": \"1h\", \"payload\": 1}"),
                    node.get("/topics/t/schedules"),
                    node.post("/topics/t/schedules/a/pause", ""),
                    node.post("/topics/t/schedules/a/run", ""),
                    node.receive("t", "{}"),
                    node.post("/leases/" + receipt + "/acknowledge", ""),
                    node.post("/settle", "{" + settlements + "}"))) {
                assertThat(reply.status()).as(reply.text()).isEqualTo(503);
                assertThat(reply.problem()).isEqualTo("unavailable");
                assertThat(reply.header("Retry-After")).isEqualTo("1");
            }
            assertThat(node.receive("t", "{" + settlements + "}").status())
                    .as("settlements may have taken effect before the receive")
                    .isEqualTo(504);
            for (String verb : List.of("push", "finish", "delete", "get", "pop")) {
                Reply reply =
                        node.job(ApiNode.TOKEN, verb, "{\"topic\": \"t\", \"id\": \"1\", \"delay\": 1, \"ttr\": 1}");
                assertThat(reply.status()).isEqualTo(200);
                assertThat(reply.text())
                        .startsWith("{\"code\":1,\"message\":\"")
                        .contains("失败: ");
            }
        }
    }

    /** Only a request that changes something has an unknown outcome. */
    @ParameterizedTest
    @CsvSource({"false, false, 503", "false, true, 503", "true, false, 504", "true, true, 503"})
    void statusTellsWhetherTheRequestMayHaveBeenExecuted(boolean outcomeUnknown, boolean reading, int status) {
        Throwable failure = new DelayQueueUnavailableException("for the test", outcomeUnknown, new IOException());

        assertThat(Problems.problem(failure, reading).status()).isEqualTo(status);
    }

    @Test
    void sendWithoutAReplyHasAnUnknownOutcome() {
        DelayMessage message = DelayMessage.to("t").id("a").payload("x").build();

        assertThat(Problems.problem(new OutcomeUnknownException(message, Reason.NO_REPLY, "for the test", null), false)
                        .status())
                .isEqualTo(504);
    }
}
